import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Pool } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { storeInPostgres } from "../../../packages/webhooks/examples/consume-in-postgres.mjs";
import {
  type ConsumeOptions,
  consume,
  type FeedGap,
  type FeedStore,
} from "../../../packages/webhooks/src/feed/consume.ts";
import { openTestApi } from "../../support/api/test-api.ts";
import { inCheckout } from "../../support/checkout.ts";
import { eachTest } from "../../support/each-test.ts";
import { openOwnPool } from "../../support/ledger/own-pool.ts";
import { paidOnFeed } from "../../support/ledger/paid-on-feed.ts";
import { suspendBusiness } from "../../support/ledger/steps.ts";
import { waitFor, waitForCount } from "../../support/wait-for.ts";

const timeoutMs = 30_000;

const api = eachTest(openTestApi, (opened) => opened.stop());

const served = () => paidOnFeed(api);

const written = async () =>
  (
    await api.db.$queryRaw<{ id: string }[]>`
      SELECT id FROM notification WHERE sequence IS NOT NULL ORDER BY sequence`
  ).map(({ id }) => id);

/** A business's own database, with the tables of the store. */
async function openPool(): Promise<Pool> {
  const pool = await openOwnPool(4);
  await pool.query("CREATE TABLE feed_cursor (consumer text PRIMARY KEY, cursor text NOT NULL)");
  await pool.query(
    "CREATE TABLE handled_notification (id uuid PRIMARY KEY, handled_at timestamptz)",
  );
  return pool;
}

/** A business's own database, in which each notification is a credit. */
async function ownDatabase() {
  const pool = await openPool();
  await pool.query("CREATE TABLE credit (number serial, id uuid)");
  const effects = (client: Pick<Pool, "query">, { id }: { id: string }) =>
    client.query("INSERT INTO credit (id) VALUES ($1)", [id]);
  const credited = async () =>
    (await pool.query<{ id: string }>("SELECT id FROM credit ORDER BY number")).rows.map(
      ({ id }) => id,
    );
  const hasCredited = (count: number) =>
    waitForCount(async () => (await credited()).length, count, { what: "credits", timeoutMs });
  return { store: storeInPostgres(pool, "me", effects), credited, hasCredited };
}

/** A consumer that runs until `stop`, which gives what it ended with. */
function consuming(url: string, options: Omit<ConsumeOptions, "url" | "apiKey" | "signal">) {
  const abort = new AbortController();
  const failures: unknown[] = [];
  const ended = consume({
    url,
    apiKey: api.key,
    waitSec: 1,
    limit: 2,
    signal: abort.signal,
    onError: (error) => failures.push(error),
    ...options,
  }).then(
    () => "stopped",
    (error: unknown) => error,
  );
  onTestFinished(async () => {
    abort.abort();
    await ended;
  });
  const stop = () => {
    abort.abort();
    return ended;
  };
  return { stop, ended, failures };
}

test("a consumer has each event once in its own transactions, through failures and restarts", async () => {
  const { url, pay } = await served();
  const { store, credited, hasCredited } = await ownDatabase();
  await pay(5);
  let commits = 0;
  const failing: FeedStore = {
    read: store.read,
    async commit(page) {
      commits += 1;
      if (commits === 2) throw new Error("before the transaction");
      await store.commit(page);
      if (commits === 4) throw new Error("after the transaction");
    },
  };
  const first = consuming(url, { store: failing });
  await hasCredited(5);
  await pay(2);
  await hasCredited(7);
  expect(await first.stop()).toBe("stopped");
  expect(first.failures.map(String)).toEqual([
    "Error: before the transaction",
    "Error: after the transaction",
  ]);
  await pay(3);
  const second = consuming(url, { store });
  await hasCredited(10);
  expect(await second.stop()).toBe("stopped");
  expect(await credited()).toEqual(await written());
});

test("the consumer of docs/receiving.md counts nothing that is reversed, in either direction", async () => {
  const { url, move, reverse } = await served();
  const pool = await openPool();
  const page = readFileSync(inCheckout("docs", "receiving.md"), "utf8");
  const [, sample = ""] = /^```js\n([^`]*storeInPostgres[\s\S]*?)^```$/m.exec(page) ?? [];
  const [, createTable = ""] = /^\/\/ (CREATE TABLE credit .*;)$/m.exec(sample) ?? [];
  await pool.query(createTable);
  const abort = new AbortController();
  const program = sample.replace(/^import .*$/gm, "");
  const names = ["consume", "storeInPostgres", "pool", "url", "apiKey"];
  const run = new Function(...names, `return (async () => {${program}})()`);
  const ended: Promise<void> = run(
    (options: ConsumeOptions) => consume({ ...options, waitSec: 1, signal: abort.signal }),
    storeInPostgres,
    pool,
    url,
    api.key,
  );
  onTestFinished(async () => {
    abort.abort();
    await ended;
  });
  const rows = async () =>
    (
      await pool.query<{ wei: string; counts: boolean }>(`
      SELECT amount * 1e18::numeric::int8 AS wei, counts FROM credit ORDER BY amount`)
    ).rows;
  const hasRows = (expected: [number, boolean][]) =>
    waitFor(
      async () => {
        const found = (await rows()).map(({ wei, counts }) => [Number(wei), counts]);
        expect(found).toEqual(expected);
        return true;
      },
      { what: "the credits", timeoutMs },
    );
  await move(5n);
  await move(-2n);
  await hasRows([
    [-2, true],
    [5, true],
  ]);
  await reverse(6);
  await hasRows([
    [-2, false],
    [5, false],
  ]);
});

test("after a restore a consumer has what is written since, and counts nothing twice", async () => {
  const { url, pay } = await served();
  const { store, credited, hasCredited } = await ownDatabase();
  await pay(4);
  await consumeAll();
  const before = await credited();
  // As a restore does: the last two were never written, and others take their numbers.
  await api.db.$executeRaw`TRUNCATE delivery CASCADE`;
  await api.db.$executeRaw`DELETE FROM notification WHERE sequence > 2`;
  await pay(3);
  const gaps: FeedGap[] = [];
  const after = consuming(url, { store, onGap: (gap) => gaps.push(gap) });
  await hasCredited(7);
  await after.stop();
  const now = await written();
  expect(now.slice(0, 2)).toEqual(before.slice(0, 2));
  expect(await credited()).toEqual([...before, ...now.slice(2)]);
  expect(gaps.map(({ kind }) => kind)).toEqual(["restored"]);

  async function consumeAll() {
    const consumer = consuming(url, { store });
    await hasCredited(4);
    await consumer.stop();
  }
});

test("what retention has removed ends a consumer, unless it hears of the gap", async () => {
  const { url, pay } = await served();
  const { store, credited, hasCredited } = await ownDatabase();
  await pay(2);
  const early = consuming(url, { store });
  await hasCredited(2);
  await early.stop();
  await pay(3);
  await api.db.$executeRaw`
    INSERT INTO pruned_stream SELECT business_id, chain_name, sequence, digest FROM notification WHERE sequence = 4`;
  expect(await consuming(url, { store }).ended).toMatchObject({ code: "expired" });
  const gaps: FeedGap[] = [];
  consuming(url, { store, onGap: (gap) => gaps.push(gap) });
  await hasCredited(3);
  expect(gaps).toMatchObject([{ kind: "expired" }]);
  const ids = await written();
  expect(await credited()).toEqual([...ids.slice(0, 2), ids[4]]);
});

test("a refusal ends a consumer, and filters are asked for", async () => {
  const { url, pay, walletId } = await served();
  const { store, credited, hasCredited } = await ownDatabase();
  await pay(3);
  const reversals = consuming(url, { store, event: "transaction.reversed", limit: 500 });
  await waitFor(async () => (await store.read()) !== null, { what: "a cursor", timeoutMs });
  await reversals.stop();
  expect(await credited()).toEqual([]);
  await pay(2);
  const wallets = consuming(url, { store, walletId, blockchain: "one" });
  await hasCredited(2);
  expect(await credited()).toEqual((await written()).slice(3));
  await suspendBusiness(api.db, api.businessId);
  // The state of a key is kept for a second.
  api.clock.advance(2_000);
  expect(await wallets.ended).toMatchObject({ code: "refused", status: 403 });
});

test("a page that something in between has cut off is not handled, and asked for again", async () => {
  const { url, pay } = await served();
  const { store, credited, hasCredited } = await ownDatabase();
  await pay(2);
  let answers = 0;
  const between = createServer(async (request, response) => {
    const answer = await fetch(`${url}${request.url}`, { headers: { "x-api-key": api.key } });
    const text = await answer.text();
    answers += 1;
    response.setHeader("chainbell-cursor", answer.headers.get("chainbell-cursor") ?? "");
    if (answers === 1) return void response.writeHead(503, { "retry-after": "1" }).end();
    response.end(answers === 2 ? text.slice(0, text.indexOf("\n") + 1) : text);
  });
  between.listen(0, "127.0.0.1");
  onTestFinished(() => {
    between.closeAllConnections();
    between.close();
  });
  await waitFor(() => between.listening, { what: "the server", timeoutMs });
  const { port } = between.address() as AddressInfo;
  const consumer = consuming(`http://127.0.0.1:${port}/`, { store });
  await hasCredited(2);
  await consumer.stop();
  expect(await credited()).toEqual(await written());
  expect(consumer.failures).toMatchObject([{ code: "unavailable" }, { code: "broken_page" }]);
});
