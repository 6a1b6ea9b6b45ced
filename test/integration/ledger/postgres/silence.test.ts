import { expect, onTestFinished, test } from "vitest";
import { listenForOutbox } from "../../../../src/ledger/notifications/outbox-signal.ts";
import { statementsOf } from "../../../../src/ledger/postgres/statements.ts";
import { systemClock as clock } from "../../../../src/runtime/clock.ts";
import { openDatabase } from "../../../support/ledger/database.ts";
import { overTcp } from "../../../support/ledger/databases.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import { hasPgBouncer, startPgBouncer } from "../../../support/ledger/pgbouncer.ts";
import { startTcpProxy } from "../../../support/process/tcp-proxy.ts";
import { waitFor } from "../../../support/wait-for.ts";

const ledger = eachTestLedger();

/** The driver alone would take 60 s. What is promised is 15 s, and a busy machine adds to that. */
const timeoutMs = 55_000;

async function startProxy(to = ledger.url) {
  const url = overTcp(to);
  const proxy = await startTcpProxy(Number(url.port));
  onTestFinished(proxy.stop);
  url.port = String(proxy.port);
  return { ...proxy, url: url.href };
}

const connections = 4;

function open(databaseUrl: string, poolSize: number) {
  const db = openDatabase({ databaseUrl, poolSize });
  onTestFinished(() => db.$disconnect());
  return (seconds: number) =>
    statementsOf(db).$queryRaw`SELECT pg_sleep(${seconds})::text AS slept, 1 AS one`;
}

async function expectGivenUp(url: string) {
  const proxy = await startProxy(url);
  const sleep = open(proxy.url, connections);
  const sleepInOtherPool = open(proxy.url, 1);
  await Promise.all(Array.from({ length: connections }, () => sleep(0.2)));
  await sleepInOtherPool(0);
  expect(proxy.accepted()).toBe(connections + 1);

  proxy.silence();
  await expect(sleep(0)).rejects.toMatchObject({ code: "database_unavailable" });
  // The others lead to nobody either: none of them is asked first.
  await sleep(0);
  await sleepInOtherPool(0);
  expect(proxy.silent()).toBe(0);
}

async function expectGivenUpInSetUp(url: string) {
  const proxy = await startProxy(url);
  const sleep = open(proxy.url, 1);
  proxy.silenceAt("set_config('TimeZone'");
  await expect(sleep(0)).rejects.toMatchObject({ code: "database_unavailable" });
  await sleep(0);
}

/** The server has sent all of it long before. */
async function expectDripsWaitedFor(url: string) {
  const proxy = await startProxy(url);
  const db = openDatabase({ databaseUrl: proxy.url, poolSize: 1 });
  onTestFinished(() => db.$disconnect());
  proxy.dripAt("repeat(");
  const rows = await statementsOf(db).$queryRaw<{ text: string }[]>`
    SELECT repeat('x', 200000) AS text`;
  expect(rows[0]?.text).toHaveLength(200_000);
}

async function expectWaitedFor(url: string) {
  expect(await open(url, 2)(11)).toEqual([{ slept: "", one: 1 }]);
}

const title =
  "a connection that has fallen silent is given up, with those that have been silent as long; a statement or answer that takes its time is waited for";

const expectAll = (url: string) =>
  Promise.all([
    expectGivenUp(url),
    expectGivenUpInSetUp(url),
    expectWaitedFor(url),
    expectDripsWaitedFor(url),
  ]);

test(title, { timeout: timeoutMs }, async () => {
  await expectAll(ledger.url);
});

test.runIf(hasPgBouncer)(`through a PgBouncer ${title}`, { timeout: timeoutMs }, async () => {
  const bouncer = await startPgBouncer(ledger.url, "transaction");
  onTestFinished(bouncer.stop);
  await expectAll(bouncer.url);
});

test("whoever listens to the outbox notices that nothing can be heard any more", {
  timeout: timeoutMs,
}, async () => {
  const proxy = await startProxy();
  let signals = 0;
  const listener = listenForOutbox({
    databaseUrl: proxy.url,
    onSignal: () => {
      signals += 1;
    },
    onPooled: () => {},
    onError: () => {},
    clock,
  });
  onTestFinished(() => listener.stop());
  await listener.start();
  await waitFor(() => signals === 1, { what: "the first connection", timeoutMs });
  proxy.silence();
  // Each connection is a signal, since some may have been missed before it.
  await waitFor(() => signals === 2, { what: "another connection", timeoutMs });
});
