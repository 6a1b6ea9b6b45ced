import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../../domain/fault.ts";
import type { FolderFiles } from "../folder-files.ts";
import type { LineFiles } from "../line-files.ts";

type Lease = { name: string; holder: string };
type TimedLease = Lease & { ttlMs: number };

export type AlonePorts = {
  ledger: {
    /** True if this holder now has the lease, for `ttlMs`. */
    takeLease: (lease: TimedLease) => Promise<boolean>;
    /** Extends the lease. False if another holder has had it since. */
    keepLease: (lease: TimedLease) => Promise<boolean>;
    releaseLease: (lease: Lease) => Promise<void>;
  };
  folderFiles: FolderFiles;
  lineFiles: Pick<LineFiles, "writeParts">;
};

/** The time for which a killed process still prevents others from closing, in ms. */
const ttlMs = 10_000;
const renewAfterMs = 2_000;
const lookAgainMs = 250;

/**
 * Runs `work` while no other process of this installation closes a month. Two processes that fill
 * one folder would each write an index without the other's work.
 *
 * The lease is in the database and covers every folder, not only this one. Two machines, or a
 * machine and a container, may reach one folder by different paths, and share only the database. If
 * two installations share a folder, its signed index protects it: neither accepts the other's.
 *
 * Waits ten seconds for the lease of another process. That is enough if the process was killed.
 * @param work must write through the ports that it gets. They refuse once another process had the
 *   lease, as after a pause of this process
 * @throws Fault `close_running`
 */
export async function closeAlone<Ports extends AlonePorts, T>(
  ports: Ports,
  folder: string,
  work: (alone: Ports) => Promise<T>,
): Promise<T> {
  const { ledger } = ports;
  const lease = { name: "close", holder: randomUUID() };
  const timed = { ...lease, ttlMs };
  const triedUntilMs = performance.now() + ttlMs + lookAgainMs;
  while (!(await ledger.takeLease(timed))) {
    if (performance.now() > triedUntilMs) throw closeRunning(folder);
    await sleep(lookAgainMs);
  }
  const over = new AbortController();
  const renewing = renew(() => ledger.keepLease(timed), over.signal);
  try {
    return await work(
      writingAlone(ports, async () => {
        if (!(await ledger.keepLease(timed))) throw closeRunning(folder);
      }),
    );
  } finally {
    over.abort();
    await renewing;
    // If this fails, the lease still expires.
    await ledger.releaseLease(lease).catch(() => {});
  }
}

function writingAlone<Ports extends AlonePorts>(
  ports: Ports,
  requireAlone: () => Promise<void>,
): Ports {
  const { folderFiles, lineFiles } = ports;
  const alone =
    <Given extends unknown[]>(write: (...given: Given) => Promise<void>) =>
    async (...given: Given) => {
      await requireAlone();
      await write(...given);
    };
  return {
    ...ports,
    folderFiles: {
      ...folderFiles,
      make: alone(folderFiles.make),
      replace: alone(folderFiles.replace),
      remove: alone(folderFiles.remove),
    },
    lineFiles: { ...lineFiles, writeParts: alone(lineFiles.writeParts) },
  };
}

async function renew(keep: () => Promise<boolean>, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    // The next write finds the same failure, and reports it.
    await keep().catch(() => {});
    await sleep(renewAfterMs, undefined, { signal: over }).catch(() => {});
  }
}

function closeRunning(folder: string): Fault {
  return new Fault(
    "close_running",
    `Another process of this installation closes a month. This one writes nothing more into ${folder}. Wait until the other has ended, or end it, and run this again.`,
  );
}
