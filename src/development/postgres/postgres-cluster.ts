import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Fault } from "../../domain/fault.ts";
import { identityOf } from "../process/process-identity.ts";
import { stopProcess } from "../process/shared-process.ts";
import { type PostgresBinaries, postgresBinaries } from "./postgres-binaries.ts";
import { postgresUser, type SystemUser } from "./system-user.ts";

/** Where the cluster of a data directory is, with which binaries, and as which user it runs. */
export type Cluster = {
  home: string;
  data: string;
  binaries: PostgresBinaries;
  user: SystemUser | undefined;
  password: string;
};

// If we are root, PostgreSQL runs as another user, who must be able to read this folder.
const SHARED_HOME = "/var/lib/chainbell";
export const CLUSTER_USER = "chainbell";
// The largest number of a pid's type, far above any real pid.
const NO_PROCESS = 2_147_483_647;

/**
 * Prepares the data directory's cluster, and makes it if there is none. If the data directory was
 * deleted and with it the cluster's password, that cluster is deleted first. Call it only under the
 * run lock, and while the cluster does not run.
 */
export async function prepareCluster(dataDir: string): Promise<Cluster> {
  const user = postgresUser();
  const home = clusterHome(dataDir);
  const passwordFile = passwordPath(dataDir);
  if (!existsSync(passwordFile)) {
    await removeCluster(dataDir);
    writeFileSync(passwordFile, randomBytes(24).toString("hex"), { flag: "wx", mode: 0o600 });
  }
  const password = readPassword(dataDir);
  if (user !== undefined) mkdirSync(SHARED_HOME, { recursive: true, mode: 0o755 });
  const binaries = postgresBinaries(user === undefined ? undefined : SHARED_HOME);
  mkdirSync(home, { recursive: true });
  chmodSync(home, 0o700);
  if (user !== undefined) chownSync(home, user.uid, user.gid);
  const cluster = { home, data: join(home, "data"), binaries, user, password };
  await stopUnrecorded(cluster.data);
  if (!existsSync(cluster.data)) await initialise(cluster);
  return cluster;
}

/** Stops the data directory's cluster if it runs, and deletes it. Safe if there is none. */
export async function removeCluster(dataDir: string): Promise<void> {
  const home = clusterHome(dataDir);
  await stopUnrecorded(join(home, "data"));
  rmSync(home, { recursive: true, force: true });
}

export function readPassword(dataDir: string): string {
  return readFileSync(passwordPath(dataDir), "utf8").trim();
}

/**
 * The options to start a child process with: its user and its directory. Passes on no environment
 * variable that could change what it does.
 */
export function spawnOptions(cluster: Cluster) {
  return {
    cwd: cluster.home,
    ...(cluster.user ?? {}),
    ...(process.platform === "win32" ? {} : { env: { LC_ALL: "C", PATH: "/usr/bin:/bin" } }),
  };
}

/** The free bytes on the disk of the data directory's cluster, for users other than root. */
export async function roomOfCluster(dataDir: string): Promise<number> {
  const { bavail, bsize } = await statfs(clusterHome(dataDir));
  return bavail * bsize;
}

/** The folder of that data directory's cluster, which may not exist yet. */
export function clusterHome(dataDir: string): string {
  if (process.getuid?.() !== 0) return join(dataDir, "postgres");
  const hash = createHash("sha256").update(dataDir).digest("hex").slice(0, 16);
  return join(SHARED_HOME, hash);
}

function passwordPath(dataDir: string): string {
  return join(dataDir, "postgres.password");
}

async function initialise(cluster: Cluster): Promise<void> {
  // Renamed to its place when it is complete. A killed initdb leaves a draft, which is deleted
  // here.
  const draft = `${cluster.data}.new`;
  const passwordFile = join(cluster.home, "password.new");
  rmSync(draft, { recursive: true, force: true });
  rmSync(passwordFile, { force: true });
  writeFileSync(passwordFile, cluster.password, { flag: "wx", mode: 0o600 });
  if (cluster.user !== undefined) chownSync(passwordFile, cluster.user.uid, cluster.user.gid);
  const encoding = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin"];
  const auth = ["--auth=scram-sha-256", `--username=${CLUSTER_USER}`, `--pwfile=${passwordFile}`];
  const args = ["--pgdata", draft, ...encoding, "--builtin-locale=C.UTF-8", ...auth];
  try {
    await promisify(execFile)(cluster.binaries.initdb, args, spawnOptions(cluster));
  } catch (cause) {
    const said = cause instanceof Error && "stderr" in cause ? String(cause.stderr) : "";
    throw new Fault(
      "embedded_postgres_failed",
      `The embedded PostgreSQL's cluster could not be made in ${cluster.home}: mend what its output names, or set DATABASE_URL.`,
      { cause, facts: { home: cluster.home, logTail: said.trim().slice(-2_048) } },
    );
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(draft, cluster.data);
}

/**
 * Stops a postmaster that runs on the data although `run.json` does not list it, because that file
 * was lost. A dead postmaster leaves its pid in `postmaster.pid`. Another program may have that pid
 * by now, or a zombie, and PostgreSQL would never start. So the pid is replaced by one that no
 * process can have. The rest of the file stays, because PostgreSQL uses it to see whether the dead
 * postmaster's children have ended.
 */
async function stopUnrecorded(data: string): Promise<void> {
  const pidFile = join(data, "postmaster.pid");
  if (!existsSync(pidFile)) return;
  const [first, ...rest] = readFileSync(pidFile, "utf8").split("\n");
  const pid = Number(first);
  const running = Number.isSafeInteger(pid) && pid > 0 ? identityOf(pid) : undefined;
  if (running !== undefined && isPostmasterOf(pid, data)) await stopProcess(running);
  else writeFileSync(pidFile, [NO_PROCESS, ...rest].join("\n"));
}

function isPostmasterOf(pid: number, data: string): boolean {
  // Other systems have no way to check this without tools. PostgreSQL's own error then says what to
  // do.
  if (process.platform !== "linux") return true;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(data);
  } catch {
    return false;
  }
}
