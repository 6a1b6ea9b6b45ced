import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { clusterHome } from "../../../src/development/postgres/postgres-cluster.ts";
import { removeWithUs } from "../process/reaper.ts";
import { waitFor } from "../wait-for.ts";
import { type Cluster, openCluster } from "./cluster.ts";

/**
 * The files of a cluster as they were copied while it ran, the log that they need, and where the
 * log is archived.
 */
export type BaseBackup = { folder: string; log: string; archive: string; passwordFile: string };

/**
 * What no base backup holds: the log comes from the archive, and the rest belongs to the running
 * server.
 */
const leftOut = ["pg_wal", "postmaster.pid", "postmaster.opts"];

/** A PostgreSQL that archives its log as it writes it, beside its data. */
export function openArchivedCluster(): Promise<Cluster> {
  return openCluster({
    fsync: "off",
    archive_mode: "on",
    archive_command: "mkdir -p ../archive && cp %p ../archive/%f",
  });
}

/**
 * What pg_basebackup does, which npm's PostgreSQL has not: the files are copied while the server
 * works.
 */
export async function takeBaseBackup({ dataDir, adminUrl }: Cluster): Promise<BaseBackup> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "chainbell-backup-")));
  removeWithUs(folder);
  const home = clusterHome(dataDir);
  const data = join(folder, "data");
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('backup', true)");
    copyTree(join(home, "data"), data);
    const stopped = await client.query<{ labelfile: string }>("SELECT * FROM pg_backup_stop(true)");
    writeFileSync(join(data, "backup_label"), stopped.rows[0]?.labelfile ?? "");
    takeOwner(join(home, "data"), join(data, "backup_label"));
  } finally {
    await client.end();
  }
  copyTree(join(dataDir, "postgres.password"), join(folder, "postgres.password"));
  // The server answers once the log that the files need is archived.
  const log = join(folder, "log");
  copyTree(join(home, "archive"), log);
  return {
    folder: data,
    log,
    archive: join(home, "archive"),
    passwordFile: join(folder, "postgres.password"),
  };
}

/** Sees to it that all that was committed until now can be restored. */
export async function archiveAll({ dataDir, adminUrl }: Cluster): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      "SELECT pg_walfile_name(pg_switch_wal()) AS name",
    );
    const file = join(clusterHome(dataDir), "archive", rows[0]?.name ?? "");
    await waitFor(() => existsSync(file), { what: "the log to be archived", timeoutMs: 30_000 });
  } finally {
    await client.end();
  }
}

/** A cluster of its own from a backup and the archived log, as everything stood at an instant. */
export function restoreBackup(backup: BaseBackup, instant: Date): Promise<Cluster> {
  const settings = {
    fsync: "off",
    restore_command: `cp ${backup.archive}/%f %p`,
    // With an offset: names of time zones are not known yet when the settings are read.
    recovery_target_time: instant.toISOString().replace("Z", "+00"),
    recovery_target_action: "promote",
    // So that nobody is answered before the instant is reached.
    hot_standby: "off",
  };
  return openCluster(settings, (dataDir) => {
    const data = putBack(backup, dataDir);
    const signal = join(data, "recovery.signal");
    writeFileSync(signal, "");
    takeOwner(backup.folder, signal);
    mkdirSync(join(data, "pg_wal"));
    takeOwner(backup.folder, join(data, "pg_wal"));
  });
}

/**
 * The same with nobody's recovery.signal: the server takes itself for one that has crashed. It
 * reads the log that came with the backup, goes on from there, and on the same timeline.
 */
export function startBackup(backup: BaseBackup): Promise<Cluster> {
  return openCluster({ fsync: "off" }, (dataDir) => {
    const data = putBack(backup, dataDir);
    copyTree(backup.log, join(data, "pg_wal"));
  });
}

/** Answers where the data is. */
function putBack(backup: BaseBackup, dataDir: string): string {
  const home = clusterHome(dataDir);
  mkdirSync(home, { recursive: true });
  const data = join(home, "data");
  copyTree(backup.folder, data);
  copyTree(backup.passwordFile, join(dataDir, "postgres.password"));
  return data;
}

/**
 * With modes and owners. A file that the server removes meanwhile is left out, as every base backup
 * does.
 */
function copyTree(from: string, to: string): void {
  const stat = statSync(from, { throwIfNoEntry: false });
  if (stat === undefined) return;
  if (stat.isDirectory()) {
    mkdirSync(to);
    for (const name of readdirSync(from)) {
      if (!leftOut.includes(name)) copyTree(join(from, name), join(to, name));
    }
  } else if (!copyFile(from, to)) return;
  chmodSync(to, stat.mode);
  chownSync(to, stat.uid, stat.gid);
}

function copyFile(from: string, to: string): boolean {
  try {
    copyFileSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}

function takeOwner(of: string, file: string): void {
  const { uid, gid } = statSync(of);
  chownSync(file, uid, gid);
  chmodSync(file, statSync(file).isDirectory() ? 0o700 : 0o600);
}
