import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { LeaseLedger } from "../../../src/domain/watch/watcher-ledger.ts";
import { createLeaseLedger } from "../../../src/ledger/watching.ts";
import { createWatchLease, keepMs } from "../../../src/watcher/lease.ts";
import { eachTestLedger } from "../../support/ledger/each-ledger.ts";
import { createSkippingClock } from "../../support/skipping-clock.ts";
import { waitFor } from "../../support/wait-for.ts";

const ledger = eachTestLedger();
const clock = createSkippingClock();
const chains = Array.from({ length: 20 }, (_, index) => `watcher:chain-${index}`);

/**
 * As the daemon's, but for leases that end only when the test says so, however slow the machine is.
 */
function patientLedger(): LeaseLedger {
  const real = createLeaseLedger(ledger.db);
  const ttlMs = 600_000;
  return {
    borrowLease: (lease) => real.borrowLease({ ...lease, ttlMs }),
    shareLease: (lease) => real.shareLease({ ...lease, ttlMs }),
    waitForLease: (lease) => real.waitForLease({ ...lease, ttlMs }),
    releaseLease: real.releaseLease,
  };
}

/**
 * A process that would watch each chain. `look` asks for all of them once, as its loops do every
 * second or so.
 */
function createProcess({ isShared = true } = {}) {
  const holder = randomUUID();
  const ports = { ledger: patientLedger(), clock };
  const leases = chains.map((name) => createWatchLease(ports, { name, holder, isShared }));
  return {
    holder,
    look: () => Promise.all(leases.map((lease) => lease.take())),
    release: () => Promise.all(leases.map((lease) => lease.release())),
  };
}

type Process = ReturnType<typeof createProcess>;

/** Who holds how many chains. */
async function held(): Promise<Map<string, number>> {
  const where = { name: { startsWith: "watcher:" }, expiresAt: { gt: new Date() } };
  const rows = await ledger.db.lease.findMany({ where });
  const counts = new Map<string, number>();
  for (const { holder } of rows) counts.set(holder, (counts.get(holder) ?? 0) + 1);
  return counts;
}

const everyLease = () =>
  ledger.db.lease.findMany({
    where: { name: { startsWith: "watcher:" } },
    orderBy: { name: "asc" },
    select: { name: true, holder: true },
  });

/** Has the processes look again and again until they hold so many chains, the fewest first. */
async function untilHeld(processes: Process[], wanted: number[]): Promise<void> {
  await waitFor(
    async () => {
      await Promise.all(processes.map(({ look }) => look()));
      clock.skip(60_000);
      const counts = [...(await held()).values()].toSorted((a, b) => a - b);
      if (String(counts) !== String(wanted)) throw new Error(String(counts));
      return true;
    },
    { what: `chains spread out as ${wanted}`, timeoutMs: 2_000 },
  );
}

test("twenty chains are spread out over four processes, and over those that are left", async () => {
  const [first, ...others] = Array.from({ length: 4 }, () => createProcess());
  if (first === undefined) throw new Error("four processes");
  await untilHeld([first], [20]);
  await untilHeld([first, ...others], [5, 5, 5, 5]);
  // What is even stays where it is.
  const before = await everyLease();
  await untilHeld([first, ...others], [5, 5, 5, 5]);
  expect(await everyLease()).toEqual(before);

  // One dies, and its leases end; another one stops in order.
  const { holder } = first;
  await ledger.db.lease.updateMany({ where: { holder }, data: { expiresAt: new Date(0) } });
  await untilHeld(others, [6, 7, 7]);
  const [leaving, ...left] = others;
  await leaving?.release();
  await untilHeld(left, [10, 10]);
});

test("a verb is given nothing by a daemon, and leaves each chain to one that waits", async () => {
  const [daemon, verb] = [createProcess(), createProcess({ isShared: false })];
  await untilHeld([daemon], [20]);
  await verb.look();
  await untilHeld([daemon], [20]);
  await daemon.release();
  await untilHeld([verb], [20]);
  await untilHeld([verb], [20]);
  expect(await daemon.look()).not.toContain(true);
  clock.skip(60_000);
  expect(await verb.look()).not.toContain(true);
  expect(await daemon.look()).not.toContain(false);
  // The report of a daemon that has ended keeps no verb from working.
  await daemon.release();
  await untilHeld([verb], [20]);
});

test("work that takes long never waits for a lease that is kept beside it", async () => {
  const real = patientLedger();
  let asked = 0;
  const shareLease: LeaseLedger["shareLease"] = (lease) => {
    asked += 1;
    return real.shareLease(lease);
  };
  const ports = { ledger: { ...real, shareLease }, clock };
  const lease = createWatchLease(ports, {
    name: "watcher:chain",
    holder: randomUUID(),
    isShared: true,
  });
  expect(await lease.take()).toBe(true);
  for (let times = 2; times < 6; times += 1) {
    clock.skip(keepMs);
    expect(await lease.keep()).toBe(true);
    expect(asked).toBe(times);
    clock.skip(keepMs);
    expect(await lease.take()).toBe(true);
    expect(asked).toBe(times);
  }
  clock.skip(keepMs);
  expect(await lease.take()).toBe(true);
  expect(asked).toBe(6);
});
