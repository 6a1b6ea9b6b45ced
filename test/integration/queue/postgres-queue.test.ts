import { runSql } from "../../support/ledger/databases.ts";
import { createTestDatabase } from "../../support/ledger/postgres.ts";
import { type QueueServer, testDeliveryQueue } from "./conformance.ts";

async function startServer(): Promise<QueueServer> {
  const database = await createTestDatabase();
  return {
    backend: { kind: "postgres", databaseUrl: database.url, namespace: "chainbell_queue" },
    empty: () => runSql(database.url, "DELETE FROM chainbell_queue.job"),
    interrupt: () =>
      runSql(
        database.url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      ),
    stop: () => database.drop(),
  };
}

testDeliveryQueue("PostgreSQL", startServer);
