import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createSigning } from "../../../src/app/environment/signing.ts";
import { statementFormats, statementIn } from "../../../src/domain/evidence/statement-formats.ts";
import { keysOf } from "../../../src/domain/keys-of.ts";
import { readStatementTexts } from "../../../src/ledger/evidence/made-statements.ts";
import { makeStatement } from "../../../src/ledger/evidence/make-statement.ts";
import { keyringOf } from "../../support/keyring.ts";
import type { World } from "../world.ts";
import { writeOtherChain } from "./other-chain.ts";

const quarterMs = 15 * 60_000;

/**
 * Writes the statements of each business at the end of a seed, in every format, after a history on
 * a second chain: of the whole time, and of the times before and after its middle. Beside each business's lie the sums of its journal,
 * which PostgreSQL adds up.
 */
export async function writeStatements(world: World, folder: string): Promise<void> {
  const { db, sql, seed } = world;
  const businesses = await sql<{ id: string; wallets: number }>(
    "SELECT business_id AS id, count(*)::int AS wallets FROM wallet GROUP BY 1 ORDER BY 1",
  );
  await writeOtherChain(
    world,
    businesses.map(({ id }) => id),
  );
  const [times] = await sql<{ middle: string | null }>(
    `SELECT (extract(epoch FROM min(block_time) + (max(block_time) - min(block_time)) / 2) * 1000)::bigint::text
       AS middle FROM transaction`,
  );
  const middle = new Date(Math.floor(Number(times?.middle ?? 0) / quarterMs) * quarterMs);
  const [from, to] = [new Date("2000-01-01T00:00:00Z"), new Date("2200-01-01T00:00:00Z")];
  const periods = { whole: [from, to], before: [from, middle], after: [middle, to] } as const;
  const { sign } = createSigning({ db, config: { encryptionKeys: keyringOf(7) } });
  let nowMs = Date.now();
  for (const [place, { id: businessId }] of businesses.entries()) {
    const own = join(folder, `seed-${seed}-${place}`);
    await mkdir(own, { recursive: true });
    for (const name of keysOf(periods)) {
      const [begin, end] = periods[name];
      nowMs += 1;
      const made = await makeStatement(db, {
        asked: { businessId, period: { from: begin, to: end, zone: "UTC" }, filter: {} },
        by: { name: "simulation", via: "cli" },
        isAnew: true,
        sign,
        nowMs,
      });
      for (const format of keysOf(statementFormats)) {
        const parts = statementIn(format, made, readStatementTexts(db, made));
        await writeFile(join(own, `${name}.${format}`), parts);
      }
    }
    await writeFile(join(own, "journal.json"), JSON.stringify(await journalOf(world, businessId)));
  }
}

/** What PostgreSQL adds up, of each wallet's asset. */
function journalOf({ sql }: World, businessId: string) {
  return sql<{ wallet_id: string; asset: string; amount: string; entries: number }>(
    `SELECT e.wallet_id, a.code AS asset, sum(e.amount)::text AS amount, count(*)::int AS entries
     FROM ledger_entry e JOIN wallet w ON w.id = e.wallet_id JOIN asset a ON a.id = e.asset_id
     WHERE w.business_id = $1 AND e.block_number <= (SELECT confirmed_number FROM chain WHERE name = w.chain_name)
     GROUP BY 1, 2 ORDER BY 1, 2`,
    [businessId],
  );
}
