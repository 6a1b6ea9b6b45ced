import { existsSync, readdirSync, realpathSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { removeEmbeddedPostgres } from "./postgres/embedded-postgres.ts";
import { clusterHome } from "./postgres/postgres-cluster.ts";
import { lockDataDirectory } from "./process/daemon-lock.ts";
import { readRecord } from "./process/run-file.ts";
import { stopProcess } from "./process/shared-process.ts";

/**
 * The files of development mode in a data directory. The name of a draft begins with one of these
 * and a dot.
 */
const ours = [
  "anvil",
  "daemon.lock",
  "demo.json",
  "encryption.key",
  "postgres",
  "run.json",
  "run.lock",
];

/**
 * Ends what a killed daemon left running, and deletes all data of development mode. Also deletes
 * the database if it is elsewhere because we are root. Other files in the directory stay. Safe to
 * repeat.
 * @returns the paths that were removed
 * @throws Fault `data_directory_in_use` while a daemon works in it
 */
export async function resetData(given: string): Promise<string[]> {
  if (!existsSync(given)) return [];
  const dataDir = realpathSync(given);
  const { release } = lockDataDirectory(dataDir);
  try {
    const chain = readRecord({ dataDir, name: "chain", faultCode: "local_chain_failed" })?.server;
    if (chain) await stopProcess(chain);
    const cluster = clusterHome(dataDir);
    const names = readdirSync(dataDir).filter(isOurs);
    const paths = new Set(names.map((name) => join(dataDir, name)));
    if (existsSync(cluster)) paths.add(cluster);
    await removeEmbeddedPostgres(dataDir);
    for (const path of paths) rmSync(path, { recursive: true, force: true });
    const isEmpty = readdirSync(dataDir).length === 0;
    if (isEmpty) rmdirSync(dataDir);
    return [...paths].filter((path) => !path.endsWith(".lock")).toSorted();
  } finally {
    release();
  }
}

function isOurs(name: string): boolean {
  return ours.some((known) => name === known || name.startsWith(`${known}.`));
}
