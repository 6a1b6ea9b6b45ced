import { expect, it } from "vitest";
import type { Hash } from "../../../../src/domain/chain/block.ts";
import { readDueOpenings } from "../../../../src/ledger/balances/openings.ts";
import { recordOpenings } from "../../../../src/ledger/commit/record-openings.ts";
import { clientsOf } from "../../../../src/ledger/postgres/database.ts";
import { statementsOf } from "../../../../src/ledger/postgres/statements.ts";
import { type Database, openDatabase } from "../../../support/ledger/database.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import { insertBusiness, moveChainTo, newWallet } from "../../../support/ledger/ledger-fixtures.ts";
import { addWallets } from "../../../support/ledger/steps.ts";
import { waitFor } from "../../../support/wait-for.ts";

const ledger = eachTestLedger();
const hash: Hash = `0x${"ab".repeat(32)}`;

// The planner has last seen the table when no opening was due.
it("records openings of a large import without reading the others of the import", async () => {
  const businessId = await insertBusiness(ledger.db);
  const before = open();
  const add = (count: number) =>
    addWallets(before, { businessId, wallets: Array.from({ length: count }, () => newWallet()) });
  await add(1_000);
  await moveChainTo(ledger.db, "ethereum", 500n);
  await ledger.db.$executeRaw`
    INSERT INTO block (chain_name, number, hash, parent_hash, time) VALUES ('ethereum', 500, ${hash}, ${hash}, now())`;
  await statementsOf(before).$executeRaw`UPDATE balance SET opening = 0`;
  await ledger.db.$executeRaw`UPDATE chain SET confirmed_number = position_number`;
  await ledger.db.$executeRaw`VACUUM ANALYZE`;
  await add(1_000);
  const { due } = await readDueOpenings(before, "ethereum", { after: null, limit: 20 });
  const read = due.map((one) => ({ ...one, amountAtomic: 7n, readNumber: 500n, readHash: hash }));
  await endRead(before);

  const readBefore = await balancesRead();
  const db = open();
  const openings = read.map((one) => ({ ...one, proof: "agreed" as const }));
  expect(await recordOpenings(db, "ethereum", openings)).toBe(20);
  await endRead(db);
  expect((await balancesRead()) - readBefore).toBeLessThan(500);
});

/** One connection. */
const open = () => openDatabase({ databaseUrl: ledger.url, poolSize: 1 });

/** What a connection has read is counted at the latest when it ends. */
async function endRead(db: Database): Promise<void> {
  const [own] = await statementsOf(db).$queryRaw<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
  await clientsOf(db).pool.end();
  const hasEnded = async () => {
    const rows = await ledger.db.$queryRaw<
      unknown[]
    >`SELECT pid FROM pg_stat_activity WHERE pid = ${own?.pid}`;
    return rows.length === 0;
  };
  await waitFor(hasEnded, { what: "the end of the connection", timeoutMs: 20_000 });
}

async function balancesRead(): Promise<number> {
  await ledger.db.$queryRaw`SELECT pg_stat_clear_snapshot()::text`;
  const [row] = await ledger.db.$queryRaw<{ rows: bigint }[]>`
    SELECT seq_tup_read + idx_tup_fetch AS rows FROM pg_stat_user_tables WHERE relname = 'balance'`;
  return Number(row?.rows);
}
