import { migrate } from "../../../src/ledger/installation/migrate.ts";
import { type Cluster, openCluster } from "./cluster.ts";
import { TEMPLATE_DATABASE } from "./databases.ts";

// Nothing here outlives the run, so nothing needs to reach the disk.
const SETTINGS = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_connections: "300",
};

/** A PostgreSQL that ends with us, with the template that `createTestDatabase` copies: migrated once. */
export async function startTestCluster(): Promise<Cluster> {
  const cluster = await openCluster(SETTINGS);
  try {
    await migrate({ databaseUrl: await cluster.createDatabase(TEMPLATE_DATABASE) });
  } catch (error) {
    await cluster.end();
    throw error;
  }
  return cluster;
}
