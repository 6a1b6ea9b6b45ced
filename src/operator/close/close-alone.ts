import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../../domain/fault.ts";
import type { FolderFiles } from "../folder-files.ts";
import type { LineFiles } from "../line-files.ts";

type Lease = { name: string; holder: string };
type TimedLease = Lease & { ttlMs: number };

export type AlonePorts = {
  ledger: {
    /** True: this holder has the lease for the next `ttlMs`. */
    takeLease: (lease: TimedLease) => Promise<boolean>;
    /** False: another holder has had it meanwhile. */
    keepLease: (lease: TimedLease) => Promise<boolean>;
    releaseLease: (lease: Lease) => Promise<void>;
  };
  folderFiles: FolderFiles;
  lineFiles: Pick<LineFiles, "writeParts">;
};

/** The time in ms after which a process that was killed no longer keeps others from closing. */
const ttlMs = 10_000;
const renewAfterMs = 2_000;
const lookAgainMs = 250;

/**
 * Runs `work` while no other process of this installation closes a month. Two that fill one folder
 * would each write an index that lacks what the other has done.
 *
 * The lease is in the database and names no folder. Two machines, or a machine and a container, may
 * reach one folder by different paths. Their processes cannot see each other, but all of them use
 * the database. So another folder has to wait too. A folder that two installations share is kept by
 * its index: neither takes up what the other has signed.
 *
 * Waits for ten seconds where the lease is another's. So a process that was killed is outlasted.
 * @param work writes by the ports that it is given. They refuse once another process has had the
 *   lease, as it may after this one stood still
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
    // It runs out by itself.
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
    // The next write finds out the same, and says it.
    await keep().catch(() => {});
    await sleep(renewAfterMs, undefined, { signal: over }).catch(() => {});
  }
}

function closeRunning(folder: string): Fault {
  return new Fault(
    "close_running",
    `Another process of this installation closes a month, so this one writes nothing more into ${folder}: wait until that one has ended, or end it, and run this again.`,
  );
}
