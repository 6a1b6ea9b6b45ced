import pg from "pg";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readVacuuming } from "../../../../src/ledger/postgres/measures.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import { waitFor } from "../../../support/wait-for.ts";

const ledger = eachTestLedger();
let session: pg.Client;

beforeEach(async () => {
  session = new pg.Client({ connectionString: ledger.url });
  await session.connect();
});

afterEach(async () => {
  await session.end();
});

it("sees a snapshot for as long as a session holds it, and a write that is open", async () => {
  expect((await readVacuuming(ledger.db)).oldestSnapshotMs).toBe(0);
  // A transaction between two statements holds nothing at READ COMMITTED.
  await session.query("BEGIN; SELECT 1");
  expect((await readVacuuming(ledger.db)).oldestSnapshotMs).toBe(0);
  await session.query("ROLLBACK");
  for (const begin of [
    "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1",
    "BEGIN; SELECT pg_current_xact_id()",
  ]) {
    await session.query(begin);
    const isOlder = async () => (await readVacuuming(ledger.db)).oldestSnapshotMs > 50;
    await waitFor(isOlder, { what: "the snapshot to be 50 ms old", timeoutMs: 10_000 });
    await session.query("ROLLBACK");
    expect((await readVacuuming(ledger.db)).oldestSnapshotMs).toBe(0);
  }
});

it("counts the rows of due deliveries that are gone and not yet removed", async () => {
  const before = (await readVacuuming(ledger.db)).dueDeadRows;
  await session.query(`
    INSERT INTO due_delivery (delivery_id, business_id, is_retry, place, due_at, created_at)
    SELECT gen_random_uuid(), gen_random_uuid(), false, n, now(), now() FROM generate_series(1, 20) AS n`);
  await session.query("DELETE FROM due_delivery");
  await session.query("SELECT pg_stat_force_next_flush()");
  const isMore = async () => (await readVacuuming(ledger.db)).dueDeadRows >= before + 20;
  await waitFor(isMore, { what: "the dead rows to be counted", timeoutMs: 10_000 });
});
