import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * One process. `startedAt` distinguishes it from a later one with the same pid (null where it is
 * not known).
 */
export type ProcessIdentity = { pid: number; startedAt: string | null };

/**
 * The process that runs under that pid now; undefined when there is none. A zombie does not count.
 */
export function identityOf(pid: number): ProcessIdentity | undefined {
  if (process.platform === "linux") return linuxIdentity(pid);
  if (!accepts(pid)) return undefined;
  if (process.platform === "win32") return { pid, startedAt: null };
  const ps = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" });
  const startedAt = ps.status === 0 ? ps.stdout.trim() : "";
  return { pid, startedAt: startedAt === "" ? null : startedAt };
}

/** True if that very process still runs. Another process under its pid does not count. */
export function isAlive(process: ProcessIdentity): boolean {
  const now = identityOf(process.pid);
  if (now === undefined) return false;
  return (
    process.startedAt === null || now.startedAt === null || process.startedAt === now.startedAt
  );
}

// The fields after the command (which may hold blanks and brackets): state is the 1st, starttime in
// ticks the 20th.
function linuxIdentity(pid: number): ProcessIdentity | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (fields[0] === "Z" || fields[0] === "X") return undefined;
  return { pid, startedAt: `${bootId()}:${fields[19] ?? ""}` };
}

// Ticks count from the boot, so the boot belongs to the identity.
function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}

function accepts(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
