import { expect, onTestFinished, test } from "vitest";
import { listenForOutbox } from "../../../../src/ledger/notifications/outbox-signal.ts";
import { openDatabase } from "../../../../src/ledger/postgres/database.ts";
import { statementsOf } from "../../../../src/ledger/postgres/statements.ts";
import { systemClock as clock } from "../../../../src/runtime/clock.ts";
import { eachTestLedger } from "../../../support/ledger/each-ledger.ts";
import { startTcpProxy } from "../../../support/process/tcp-proxy.ts";
import { waitFor } from "../../../support/wait-for.ts";

const ledger = eachTestLedger();

/** What is promised is 15 s; the driver alone would take 60. */
const timeoutMs = 30_000;

async function startProxy() {
  const url = new URL(ledger.url);
  const proxy = await startTcpProxy(Number(url.port));
  onTestFinished(proxy.stop);
  url.port = String(proxy.port);
  return { ...proxy, url: url.href };
}

const connections = 4;

test("a connection that has fallen silent is given up, with those that have been silent as long", {
  timeout: timeoutMs,
}, async () => {
  const proxy = await startProxy();
  const db = openDatabase({ databaseUrl: proxy.url, poolSize: connections });
  onTestFinished(() => db.$disconnect());
  const sleep = (seconds: number) =>
    statementsOf(db).$queryRaw`SELECT pg_sleep(${seconds})::text AS slept`;
  await Promise.all(Array.from({ length: connections }, () => sleep(0.2)));
  expect(proxy.accepted()).toBe(connections);

  proxy.silence();
  await expect(sleep(0)).rejects.toMatchObject({ code: "database_unavailable" });
  // The others lead to nobody either: none of them is asked first.
  await sleep(0);
});

test("a statement that takes its time is waited for", { timeout: timeoutMs }, async () => {
  const proxy = await startProxy();
  const db = openDatabase({ databaseUrl: proxy.url, poolSize: 2 });
  onTestFinished(() => db.$disconnect());
  expect(await statementsOf(db).$queryRaw`SELECT pg_sleep(11)::text AS slept, 1 AS one`).toEqual([
    { slept: "", one: 1 },
  ]);
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
