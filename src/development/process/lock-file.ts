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

// Clearing a stale lock takes microseconds. An older clearing mark was left by a process that died
// while it cleared.
const ABANDONED_CLEARING_MS = 10_000;

/**
 * Takes the lock that the file stands for, or says who holds it. The lock of a process that is dead
 * is cleared. Safe for any number of processes of one machine to call at the same time: one of them
 * is given it.
 */
export function takeLockFile(path: string): LockOutcome {
  const self = identityOf(process.pid) ?? { pid: process.pid, startedAt: null };
  const nonce = randomUUID();
  const text = JSON.stringify({ ...self, nonce });
  // Written beside and linked into place, so that nobody reads a lock without its holder.
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
 * Two processes may find the same stale lock. Only the one that holds the mark named for that very
 * lock may remove it, and it looks again first: so neither can remove the fresh lock of the other.
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
