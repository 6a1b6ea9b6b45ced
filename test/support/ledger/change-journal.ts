import type { Database, Tx } from "../../../src/ledger/postgres/database.ts";

const appendOnly = ["ledger_entry", "ledger_seal", "reconciliation_record"];

/** Changes what is append-only, as the owner of the tables can: with its triggers switched off. */
export async function changeJournal(
  db: Database,
  change: (tx: Tx) => Promise<unknown>,
): Promise<void> {
  await db.$transaction(async (tx) => {
    for (const table of appendOnly)
      await tx.$executeRawUnsafe(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
    await change(tx);
    for (const table of appendOnly)
      await tx.$executeRawUnsafe(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
  });
}
