import { expect, it } from "vitest";
import { watchedConnectionTo } from "../../../src/ledger/postgres/connection/watched-connection.ts";
import { openDeliveryQueue } from "../../../src/queue/delivery-queue.ts";
import { overTcp, runSql } from "../../support/ledger/databases.ts";
import { createTestDatabase } from "../../support/ledger/postgres.ts";
import { startTcpProxy } from "../../support/process/tcp-proxy.ts";
import { waitFor } from "../../support/wait-for.ts";
import { collectFrom } from "./collect.ts";
import { type QueueServer, testDeliveryQueue } from "./conformance.ts";

async function startServer(): Promise<QueueServer & { silent: () => number }> {
  const database = await createTestDatabase();
  const url = overTcp(database.url);
  const proxy = await startTcpProxy(Number(url.port));
  url.port = String(proxy.port);
  return {
    backend: {
      kind: "postgres",
      server: watchedConnectionTo(url.href),
      namespace: "chainbell_queue",
    },
    silence: proxy.silence,
    silent: proxy.silent,
    empty: () => runSql(database.url, "DELETE FROM chainbell_queue.job"),
    interrupt: () =>
      runSql(
        database.url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      ),
    async stop() {
      await proxy.stop();
      await database.drop();
    },
  };
}

testDeliveryQueue("PostgreSQL", startServer);

it("a queue in PostgreSQL asks one silent connection, and gives all of them up", async () => {
  const { backend, silence, silent, stop } = await startServer();
  const errors: string[] = [];
  const queue = openDeliveryQueue({ backend, onError: ({ message }) => errors.push(message) });
  const { consumer, handled } = collectFrom(queue);
  const untilHandled = (token: string) =>
    waitFor(() => handled.includes(token), { what: "the job", timeoutMs: 60_000 });
  try {
    await consumer.start();
    await queue.enqueue([{ token: "a", deliveries: 1 }]);
    await untilHandled("a");
    silence();
    const enqueue = () => queue.enqueue([{ token: "b", deliveries: 1 }]).then(() => true);
    await waitFor(enqueue, { what: "the queue to take a job", timeoutMs: 60_000 });
    await untilHandled("b");
    expect(silent()).toBe(0);
    expect(errors.filter((message) => /timeout/.test(message))).toEqual([]);
  } finally {
    await consumer.stop();
    await queue.close();
    await stop();
  }
});
