import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * One process. `startedAt` distinguishes it from a later one with the same pid. Null: not known.
 */
export type ProcessIdentity = { pid: number; startedAt: string | null };

/** The process that has this pid now. Undefined: none, or a zombie. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  if (process.platform === "linux") return linuxIdentity(pid);
  if (!accepts(pid)) return undefined;
  if (process.platform === "win32") return { pid, startedAt: null };
  const ps = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" });
  const startedAt = ps.status === 0 ? ps.stdout.trim() : "";
  return { pid, startedAt: startedAt === "" ? null : startedAt };
}

/** True if exactly this process still runs. Another process with its pid does not count. */
export function isAlive(process: ProcessIdentity): boolean {
  const now = identityOf(process.pid);
  if (now === undefined) return false;
  return (
    process.startedAt === null || now.startedAt === null || process.startedAt === now.startedAt
  );
}

// The fields after the command, which may contain spaces and brackets. The state is the 1st, and
// the start time in ticks the 20th.
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

// Ticks count from the boot, so the boot is a part of the identity.
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
