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
  expect(await readVacuuming(ledger.db)).toEqual({ oldestSnapshotMs: 0, dueDeadRows: 0 });
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
