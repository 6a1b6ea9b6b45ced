import { setTimeout as sleep } from "node:timers/promises";
import { type Anvil, startAnvil } from "../../test/support/chain/anvil.ts";
import { shownWallet } from "../../test/support/chain/cast.ts";
import { type Receiver, startReceiver } from "../../test/support/delivery/receiver.ts";
import { type Customer, createCustomer, signed } from "../../test/support/process/customer.ts";
import { createResources } from "../../test/support/resources.ts";
import { waitFor } from "../../test/support/wait-for.ts";
import type { Fault } from "./fault.ts";
import { countLines, type LineCount } from "./lines.ts";
import { openProcesses } from "./processes.ts";
import { watchReady } from "./ready.ts";

/** What was seen of one fault; times in s. */
export type Seen = {
  paid: number;
  /** Deposits that the receiver was notified of. */
  notified: number;
  /** Deposits that it was notified of under more than one id. */
  twice: number;
  /** Requests with an id that had been there before. */
  again: number;
  /** Deposits that took longer than `lateMs`, and the longest of all. */
  late: number;
  longest: number;
  /** For how long nothing arrived while the fault lasted. */
  silent: number;
  /** Whether money waits because it has to. */
  holds: boolean;
  /** Lines of the log while the fault lasted. */
  lines: LineCount;
  /** From its beginning to the first answer that is not ready; null: ready throughout. */
  unreadyAfter: number | null;
  /** From its end to the first answer that is ready; null: never within the wait. */
  readyAfter: number | null;
};

const everyMs = 200;
const lateMs = 10_000;
const quietMs = 8_000;
/** A claim of a killed process ends after a minute. */
const patienceMs = 150_000;
const readyWithinMs = 60_000;

/**
 * Pays a wallet five times a second before, while and after the fault lasts for `forMs`, and waits
 * for what is still due.
 */
export async function play(fault: Fault, forMs: number): Promise<Seen> {
  const { open, onEnd, end } = createResources();
  try {
    const anvil = await open(startAnvil({}), (one) => one.stop());
    const receiver = await open(startReceiver(), (one) => one.stop());
    const ground = await fault.open({ open, onEnd, anvil });
    const lines = countLines();
    const processes = openProcesses(ground, receiver.port, lines.written);
    onEnd(processes.killAll);
    for (const roles of ground.roles) await processes.start(roles);
    const addresses = [shownWallet];
    const customer = await createCustomer({
      ...processes.withApi(),
      blockchain: "anvil",
      addresses,
      receiver,
    });
    await untilWatched(customer.api, anvil);
    const ready = watchReady(() => processes.withApi().url);
    onEnd(ready.stop);

    const paidAtMs = new Map<string, number>();
    const paying = repeat(async () => {
      const atMs = Date.now();
      const hash = await ground.pay();
      paidAtMs.set(hash, atMs);
    });
    await sleep(quietMs);
    lines.begin();
    const beganMs = Date.now();
    const beginning = ground.begin(processes);
    // It is the fault that is measured, and what begins it may take as long.
    beginning.catch(() => {});
    await Promise.all([sleep(forMs), beginning]);
    await ground.finish(processes);
    const finishedMs = Date.now();
    const counted = lines.end();
    await sleep(quietMs);
    await paying.stop();
    await anvil.mine(2);

    const count = () => new Set(receiver.requests.map(({ headers }) => headers["webhook-id"])).size;
    await waitFor(() => count() >= paidAtMs.size || Promise.reject(new Error(`${count()}`)), {
      what: "every deposit",
      timeoutMs: patienceMs,
    }).catch(() => {});
    await ready.until(finishedMs, readyWithinMs);
    const ids = heardBy(receiver, customer.secret);
    const waits = [...ids].map(([hash, { atMs }]) => atMs - (paidAtMs.get(hash) ?? atMs));
    const arrivals = receiver.requests.map(({ receivedAtMs }) => receivedAtMs);
    return {
      paid: paidAtMs.size,
      notified: [...paidAtMs.keys()].filter((hash) => ids.has(hash)).length,
      twice: [...ids.values()].filter((one) => one.ids.size > 1).length,
      again: receiver.requests.length - count(),
      late: waits.filter((ms) => ms > lateMs).length,
      longest: Math.max(0, ...waits) / 1_000,
      silent: longestGap(arrivals, beganMs, finishedMs) / 1_000,

      lines: counted,
      holds: ground.holds,
      ...ready.between(beganMs, finishedMs),
    };
  } finally {
    await end();
  }
}

/** Of each transaction the ids of its notifications, and when the first of them arrived. */
function heardBy(receiver: Receiver, secret: string) {
  const heard = new Map<string, { ids: Set<string>; atMs: number }>();
  for (const request of receiver.requests) {
    const { id, data } = signed(request, secret);
    const known = heard.get(data.txHash) ?? { ids: new Set(), atMs: request.receivedAtMs };
    known.ids.add(id);
    heard.set(data.txHash, known);
  }
  return heard;
}

/**
 * What is paid while a new chain is not known yet is part of the opening balance, and nobody is
 * notified of it.
 */
async function untilWatched(api: Customer["api"], anvil: Anvil): Promise<void> {
  const isWatched = async () => {
    await anvil.mine(1);
    const wallets: { status: string }[] = await api.get("/wallets");
    return wallets.every(({ status }) => status === "watched");
  };
  await waitFor(isWatched, { what: "the wallet to be watched", timeoutMs: patienceMs });
}

/** The longest time between two of these, or an end of the period, within it. */
function longestGap(timesMs: readonly number[], beganMs: number, finishedMs: number): number {
  const within = timesMs.filter((ms) => ms > beganMs && ms < finishedMs);
  const marks = [beganMs, ...within.toSorted((a, b) => a - b), finishedMs];
  return Math.max(...marks.slice(1).map((ms, index) => ms - (marks[index] ?? ms)));
}

function repeat(step: () => Promise<unknown>): { stop: () => Promise<void> } {
  let isStopped = false;
  const running = (async () => {
    while (!isStopped) await Promise.all([step(), sleep(everyMs)]);
  })();
  running.catch(() => {});
  return {
    stop() {
      isStopped = true;
      return running;
    },
  };
}
