import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CLUSTER_USER,
  clusterHome,
  prepareCluster,
  removeCluster,
  spawnOptions,
} from "../../../src/development/postgres/postgres-cluster.ts";
import { freePort } from "../process/free-port.ts";
import { endWithUs, removeWithUs } from "../process/reaper.ts";
import { waitFor } from "../wait-for.ts";
import { databaseUrl, runSql } from "./databases.ts";

/** A PostgreSQL of its own whose server has this in its environment. Whoever opens it ends it. */
export async function openClusterUnder(environment: Record<string, string>) {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), "chainbell-cluster-")));
  removeWithUs(dataDir);
  removeWithUs(clusterHome(dataDir));
  const cluster = await prepareCluster(dataDir);
  const port = await freePort();
  const options = spawnOptions(cluster);
  const settings = ["listen_addresses=127.0.0.1", `port=${port}`, "unix_socket_directories="];
  const args = ["-D", cluster.data, ...settings.flatMap((setting) => ["-c", setting])];
  const env = { ...options.env, ...environment };
  const child = spawn(cluster.binaries.postgres, args, { ...options, env, stdio: "ignore" });
  const reaped = endWithUs(child.pid ?? 0);
  const adminUrl = `postgresql://${CLUSTER_USER}:${cluster.password}@127.0.0.1:${port}/postgres`;
  await waitFor(() => child.exitCode !== null || runSql(adminUrl, "SELECT 1").then(() => true), {
    what: "PostgreSQL to answer",
    timeoutMs: 30_000,
  });
  if (child.exitCode !== null) throw new Error("PostgreSQL ended at its start.");
  return {
    /** A database with nothing in it; answers its URL. */
    async createDatabase(name: string): Promise<string> {
      await runSql(adminUrl, `CREATE DATABASE "${name}" TEMPLATE template0`);
      return databaseUrl(adminUrl, name);
    },
    async end(): Promise<void> {
      const exited = once(child, "exit");
      child.kill("SIGINT");
      await exited;
      reaped.forget();
      await removeCluster(dataDir);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
