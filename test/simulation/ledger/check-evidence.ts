import { checkLedger } from "../../../src/ledger/evidence/check-ledger.ts";
import type { World } from "../world.ts";

/** The ledger's own checks find nothing, and have looked at every entry. */
export async function checkEvidence({ db, sql, fail }: World): Promise<void> {
  const { entries, findings } = await checkLedger(db);
  for (const finding of findings) fail(`the ledger's check: ${Object.values(finding).join(" ")}`);
  const [row] = await sql<{ entries: string }>("SELECT count(*) AS entries FROM ledger_entry");
  if (row?.entries !== entries.toString()) fail(`the ledger's check read ${entries} entries`);
}
