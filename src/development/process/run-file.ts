import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault, type FaultCode } from "../../domain/fault.ts";
import { takeLockFile } from "./lock-file.ts";
import type { ProcessIdentity } from "./process-identity.ts";

/** One server in `run.json`: its port (now or before), its process, and its users. */
export type RunRecord = {
  port: number;
  server: ProcessIdentity | null;
  users: (ProcessIdentity & { token: string })[];
};

type Place = { dataDir: string; name: string; faultCode: FaultCode };

// Making a cluster takes seconds. A process that has the lock for longer than this hangs.
const LOCK_TIMEOUT_MS = 120_000;
const LOCK_POLL_MS = 25;

/**
 * Reads the server's record in the data directory's `run.json`. Call it only under the run lock.
 */
export function readRecord(place: Place): RunRecord | undefined {
  return readAll(place.dataDir)[place.name];
}

/** Replaces the server's record in `run.json`. Call it only under the run lock. */
export function writeRecord(place: Place, record: RunRecord): void {
  const path = join(place.dataDir, "run.json");
  const all = { ...readAll(place.dataDir), [place.name]: record };
  // A rename replaces the whole file, so a process that is killed here leaves the old one.
  writeFileSync(`${path}.new`, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/**
 * Runs `act` while no other process of the data directory does so. Throws if the other one hangs.
 */
export async function underRunLock<T>(place: Place, act: () => Promise<T>): Promise<T> {
  const path = join(place.dataDir, "run.lock");
  const deadline = Date.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    const outcome = takeLockFile(path);
    if (outcome.taken) {
      try {
        return await act();
      } finally {
        outcome.release();
      }
    }
    if (Date.now() > deadline) {
      const { pid } = outcome.holder;
      throw new Fault(
        place.faultCode,
        `Process ${pid} has held ${path} for ${LOCK_TIMEOUT_MS / 1_000} s: end it and try again.`,
        { facts: { path, pid } },
      );
    }
    await sleep(LOCK_POLL_MS);
  }
}

// Without a readable file, no server is recorded. A server that runs anyway is found in its own
// way.
function readAll(dataDir: string): Record<string, RunRecord | undefined> {
  try {
    return JSON.parse(readFileSync(join(dataDir, "run.json"), "utf8")) as Record<string, RunRecord>;
  } catch {
    return {};
  }
}
