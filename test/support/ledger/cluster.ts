import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  openEmbeddedPostgres,
  removeEmbeddedPostgres,
} from "../../../src/development/postgres/embedded-postgres.ts";
import { clusterHome } from "../../../src/development/postgres/postgres-cluster.ts";
import { removeWithUs } from "../process/reaper.ts";
import { quiet } from "../quiet.ts";
import { databaseUrl, runSql } from "./databases.ts";

export type Cluster = Awaited<ReturnType<typeof openCluster>>;

/**
 * A PostgreSQL of its own on fresh data, which ends with us, however we end. `settings` are the
 * server's, as `name: value`. `fill` may give its data directory a cluster before it is started.
 * Whoever opens it ends it.
 */
export async function openCluster(
  settings: Record<string, string> = {},
  fill: (dataDir: string) => void = () => {},
) {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), "chainbell-cluster-")));
  removeWithUs(dataDir);
  removeWithUs(clusterHome(dataDir));
  fill(dataDir);
  const open = () => openEmbeddedPostgres({ dataDir, settings, log: quiet });
  let postgres = await open();
  const { adminUrl } = postgres;
  return {
    dataDir,
    /** Its own database, for making and dropping others. */
    adminUrl,
    /**
     * A database with nothing in it, or a copy of one that nobody is connected to; answers its URL.
     */
    async createDatabase(name: string, template = "template0"): Promise<string> {
      await runSql(adminUrl, `CREATE DATABASE "${name}" TEMPLATE "${template}"`);
      return databaseUrl(adminUrl, name);
    },
    drop: (name: string) => runSql(adminUrl, `DROP DATABASE "${name}" WITH (FORCE)`),
    /** Writes everything to the disk: what came before then costs nothing later on. */
    checkpoint: () => runSql(adminUrl, "CHECKPOINT"),
    /** Stops it and starts it again at the same port, with the same data. */
    async restart(): Promise<void> {
      await postgres.close();
      postgres = await open();
    },
    /** The same, and answers what `meanwhile` does while it is stopped, which may copy its data. */
    async stopped<T>(meanwhile: (dataDir: string) => Promise<T>): Promise<T> {
      await postgres.close();
      const done = await meanwhile(dataDir);
      postgres = await open();
      return done;
    },
    /** As when its machine is lost. */
    kill: () =>
      process.kill(
        Number(readFileSync(join(dataOf(dataDir), "postmaster.pid"), "utf8").split("\n")[0]),
        "SIGKILL",
      ),
    async end(): Promise<void> {
      await postgres.close();
      await removeEmbeddedPostgres(dataDir);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Where PostgreSQL keeps the cluster of a data directory. */
export function dataOf(dataDir: string): string {
  return join(clusterHome(dataDir), "data");
}
