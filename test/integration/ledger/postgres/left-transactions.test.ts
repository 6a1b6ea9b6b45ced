import { expect, onTestFinished, test } from "vitest";
import { claimDeliveries } from "../../../../src/ledger/deliveries/claim-deliveries.ts";
import { claimLock } from "../../../../src/ledger/postgres/claim-lock.ts";
import { closeDatabase, openDatabase } from "../../../../src/ledger/postgres/database.ts";
import { inTransaction } from "../../../../src/ledger/postgres/transaction.ts";
import { eachTest } from "../../../support/each-test.ts";
import { overTcp } from "../../../support/ledger/databases.ts";
import { startTcpProxy } from "../../../support/process/tcp-proxy.ts";
import { waitFor } from "../../../support/wait-for.ts";
import { createSeededLedger, limits } from "../deliveries/seed.ts";

const ledger = eachTest(createSeededLedger, (seeded) => seeded.close());

const unreachable = { code: "database_unavailable" };

test("a process that is cut off in the middle of a claim keeps no other one from claiming", {
  timeout: 90_000,
}, async () => {
  const url = overTcp(ledger.url);
  const proxy = await startTcpProxy(Number(url.port));
  onTestFinished(proxy.stop);
  url.port = String(proxy.port);
  const cut = openDatabase({ databaseUrl: url.href, poolSize: 1 });
  onTestFinished(() => closeDatabase(cut));
  await ledger.addDispatcher(10);
  const webhook = await ledger.addWebhook({ url: "https://a.example/" });
  await ledger.addDeliveries(webhook, { count: 1 });

  const lost = inTransaction(cut, async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${claimLock})`;
    proxy.cutOff();
    await tx.$executeRaw`SELECT 1`;
  });
  await expect(lost).rejects.toMatchObject(unreachable);
  expect(await claimDeliveries(ledger.db, limits)).toMatchObject([{ deliveries: 1 }]);
});

test("a process that stood still in a transaction learns that the database has ended it", async () => {
  const late = inTransaction(ledger.db, async (tx) => {
    const [own] = await tx.$queryRaw<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
    await tx.$executeRaw`SET LOCAL idle_in_transaction_session_timeout = 50`;
    const isEnded = async () =>
      (await ledger.sql("SELECT 1 FROM pg_stat_activity WHERE pid = $1", [own?.pid])).length === 0;
    await waitFor(isEnded, { what: "the end of its session", timeoutMs: 20_000 });
    await tx.$executeRaw`SELECT 1`;
  });
  await expect(late).rejects.toMatchObject(unreachable);
});
