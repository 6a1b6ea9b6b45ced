import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import { WatchedClient } from "../../../../src/ledger/postgres/connection/watched-client.ts";
import { statementsOf } from "../../../../src/ledger/postgres/statements.ts";
import { inTransaction } from "../../../../src/ledger/postgres/transaction.ts";
import { openTestLedger } from "../../../support/ledger/ledger-fixtures.ts";

const answers = 2_000;

/** The rows of all answers have 50 MB. */
const mostKept = 10 * 1024 * 1024;

/** Collects the whole heap. What other tests left in this process outlives nothing after that. */
function collectAll(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}

/** The bytes of all that has outlived collections of young garbage. */
function oldBytes(): number {
  const old = getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space");
  return old?.space_used_size ?? Number.NaN;
}

test("the rows of an answer do not stay in memory until the whole heap is collected", async () => {
  const ledger = await openTestLedger();
  onTestFinished(() => ledger.stop());
  const ways = {
    alone: () => read(statementsOf(ledger.db)),
    inTransaction: () => inTransaction(ledger.db, read),
  };
  for (const [way, ask] of Object.entries(ways)) {
    // The first answers have objects made that stay, such as compiled code.
    for (let answer = 0; answer < answers / 10; answer += 1) await ask();
    collectAll();
    const before = oldBytes();
    let most = before;
    for (let answer = 0; answer < answers; answer += 1) {
      await ask();
      most = Math.max(most, oldBytes());
    }
    expect(most - before, way).toBeLessThan(mostKept);
  }
});

function read(on: Pick<ReturnType<typeof statementsOf>, "$queryRaw">): Promise<unknown[]> {
  return on.$queryRaw`SELECT i, md5(i::text) || md5(i::text) AS one, md5((-i)::text) AS other FROM generate_series(1, 100) i`;
}

test("a connection without an answer in time is closed, and each query may have a limit of its own", async () => {
  const ledger = await openTestLedger();
  onTestFinished(() => ledger.stop());
  const client = new WatchedClient({
    connectionString: ledger.url,
    pipeline: true,
    query_timeout: 300,
  });
  client.on("error", () => {});
  await client.connect();
  const longer = { text: "SELECT pg_sleep(0.6)", query_timeout: 60_000 };
  expect((await client.query(longer)).rows).toHaveLength(1);
  const endless = client.query("SELECT pg_sleep(86400)");
  const behind = client.query("SELECT 1");
  await expect(endless).rejects.toThrow("Query read timeout");
  await expect(behind).rejects.toThrow("Query read timeout");
});
