import { chmodSync, chownSync, mkdtempSync, rmSync, statfsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postgresUser } from "../../../src/development/postgres/system-user.ts";
import { migrate } from "../../../src/ledger/installation/migrate.ts";
import { removeWithUs } from "../process/reaper.ts";
import { type Cluster, dataOf, openCluster } from "./cluster.ts";
import { bySocket, runSql, TEMPLATE_DATABASE } from "./databases.ts";
import { makeEmptiable } from "./emptiable.ts";

// Nothing here outlives the run, so nothing needs to reach the disk. Autovacuum would come at any
// moment, even between the rows of a transaction, and change the plans that a test counts by.
const SETTINGS = {
  autovacuum: "off",
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_connections: "300",
};

/** Linux keeps the files of this folder in memory, where it is there. */
const MEMORY_FOLDER = "/dev/shm";
/** Containers often give that folder 64 MB. The tests need some hundreds of them. */
const LEAST_MEMORY_BYTES = 2 * 1024 ** 3;

/** A PostgreSQL that ends with us, with the template that `createTestDatabase` copies: migrated once. */
export async function startTestCluster(): Promise<Cluster> {
  const sockets = openSockets();
  const atSockets = sockets === null ? {} : { unix_socket_directories: sockets };
  const cluster = await openCluster({ ...SETTINGS, ...atSockets });
  const memory = openMemory(dataOf(cluster.dataDir));
  const end = async () => {
    await cluster.end();
    for (const folder of [memory, sockets])
      if (folder !== null) rmSync(folder, { recursive: true, force: true });
  };
  try {
    await cheapenLogins(cluster.adminUrl);
    if (memory !== null) await keepDatabasesIn(memory, cluster.adminUrl);
    const databaseUrl = await cluster.createDatabase(TEMPLATE_DATABASE);
    await migrate({ databaseUrl });
    await makeEmptiable(databaseUrl);
  } catch (error) {
    await end();
    throw error;
  }
  const adminUrl = sockets === null ? cluster.adminUrl : bySocket(cluster.adminUrl, sockets);
  return { ...cluster, adminUrl, end };
}

/** A folder that the server may keep its socket in. Null: this system has no such sockets. */
function openSockets(): string | null {
  if (process.platform === "win32") return null;
  const folder = mkdtempSync(join(tmpdir(), "chainbell-sockets-"));
  removeWithUs(folder);
  const user = postgresUser();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  return folder;
}

/**
 * A folder in memory that the owner of the data may use: a test's database has some 600 files, and
 * making and removing them on a disk takes ten times the CPU time. Null: there is no memory for it.
 */
function openMemory(data: string): string | null {
  if (process.platform !== "linux") return null;
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    if (bavail * bsize < LEAST_MEMORY_BYTES) return null;
    const folder = mkdtempSync(join(MEMORY_FOLDER, "chainbell-databases-"));
    removeWithUs(folder);
    const { uid, gid } = statSync(data);
    chownSync(folder, uid, gid);
    chmodSync(folder, 0o700);
    return folder;
  } catch {
    return null;
  }
}

/** A database lies where its template does, so every one that is made from now on lies there. */
async function keepDatabasesIn(folder: string, adminUrl: string): Promise<void> {
  await runSql(adminUrl, `CREATE TABLESPACE memory LOCATION '${folder}'`);
  await runSql(adminUrl, "ALTER DATABASE template0 SET TABLESPACE memory");
}

/**
 * Each login proves that it knows the password, by thousands of hashes on either side. One does
 * here.
 */
async function cheapenLogins(adminUrl: string): Promise<void> {
  const { username, password } = new URL(adminUrl);
  await runSql(
    adminUrl,
    `SET scram_iterations = 1; ALTER ROLE "${username}" PASSWORD '${password}'`,
  );
}
