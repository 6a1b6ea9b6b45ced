import { createHash, randomUUID } from "node:crypto";
import {
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { identityOf, isAlive, type ProcessIdentity } from "./process-identity.ts";

export type LockOutcome =
  | { taken: true; release: () => void }
  | { taken: false; holder: ProcessIdentity };

// Removing a stale lock takes microseconds. A mark older than this comes from a process that died
// meanwhile.
const ABANDONED_CLEARING_MS = 10_000;

/**
 * Takes the lock of this file, or says who has it. Removes the lock of a dead process. Safe for any
 * number of processes of one machine at the same time: only one of them gets it.
 */
export function takeLockFile(path: string): LockOutcome {
  const self = identityOf(process.pid) ?? { pid: process.pid, startedAt: null };
  const nonce = randomUUID();
  const text = JSON.stringify({ ...self, nonce });
  // Writes another file and links it to the path, so that nobody reads a lock without its holder.
  const draft = `${path}.${nonce}`;
  writeFileSync(draft, text, { flag: "wx", mode: 0o600 });
  try {
    for (;;) {
      if (succeeds("EEXIST", () => linkSync(draft, path))) {
        return { taken: true, release: () => releaseLock(path, text) };
      }
      const held = read(path);
      if (held === undefined) continue;
      const holder = holderIn(held);
      if (holder !== undefined && isAlive(holder)) return { taken: false, holder };
      clearStale(path, held);
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

function releaseLock(path: string, text: string): void {
  if (read(path) === text) rmSync(path, { force: true });
}

/**
 * Removes a stale lock. Two processes may find the same one. Only the process with the mark for
 * exactly this lock may remove it, and it checks the lock again first. So neither can remove a new
 * lock of the other.
 */
function clearStale(path: string, text: string): void {
  const mark = `${path}.clearing-${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
  const marked = succeeds("EEXIST", () => closeSync(openSync(mark, "wx", 0o600)));
  if (!marked) {
    if (ageMs(mark) > ABANDONED_CLEARING_MS) rmSync(mark, { force: true });
    return;
  }
  try {
    if (read(path) === text) unlinkSync(path);
  } finally {
    rmSync(mark, { force: true });
  }
}

function holderIn(text: string): ProcessIdentity | undefined {
  try {
    const { pid, startedAt } = JSON.parse(text) as Partial<ProcessIdentity>;
    if (typeof pid === "number" && Number.isSafeInteger(pid) && pid > 0) {
      return { pid, startedAt: typeof startedAt === "string" ? startedAt : null };
    }
    return undefined;
  } catch {
    return undefined;
  }
}

function read(path: string): string | undefined {
  let text: string | undefined;
  succeeds("ENOENT", () => {
    text = readFileSync(path, "utf8");
  });
  return text;
}

function ageMs(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? 0 : Date.now() - stat.mtimeMs;
}

function succeeds(tolerated: string, act: () => void): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === tolerated) return false;
    throw error;
  }
}
