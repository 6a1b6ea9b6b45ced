import { overTcp, runSql } from "../../support/ledger/databases.ts";
import { createTestDatabase } from "../../support/ledger/postgres.ts";
import { startTcpProxy } from "../../support/process/tcp-proxy.ts";
import { type QueueServer, testDeliveryQueue } from "./conformance.ts";

async function startServer(): Promise<QueueServer> {
  const database = await createTestDatabase();
  const url = overTcp(database.url);
  const proxy = await startTcpProxy(Number(url.port));
  url.port = String(proxy.port);
  return {
    backend: {
      kind: "postgres",
      server: { connectionString: url.href },
      namespace: "chainbell_queue",
    },
    silence: proxy.silence,
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
