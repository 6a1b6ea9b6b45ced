import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "../../test/support/wait-for.ts";
import { type Outcome, outcomeOf, type Payment } from "./outcome.ts";
import type { Running, StampedPayments } from "./systems.ts";

/** What goes wrong in a run. */
export const faults = {
  none: "nothing goes wrong",
  refused: "the receiver answers the first request of each tenth payment with 503",
  killed: "the system is killed after half of the blocks, and started again at once",
} as const;

export type Fault = keyof typeof faults;

/**
 * So many blocks, each so many ms after the one before, with so many payments. A payment that is
 * not notified `patienceMs` after the last request is lost.
 */
export type Script = { blocks: number; everyMs: number; payments: number; patienceMs: number };

/** Of each so many payments one is refused at first. */
const refusedEvery = 10;
const warmUpBlocks = 10;

/** Pays by the script while the system follows the chain, and compares what the receiver saw. */
export async function play(
  at: StampedPayments,
  running: Running,
  { script, fault }: { script: Script; fault: Fault },
): Promise<Outcome> {
  const { receiver } = at;
  // Connections, plans, compiled code.
  const warmUp = await pay(at, { ...script, blocks: warmUpBlocks });
  await untilNotified(at, warmUp, script);
  await receiver.ask({ kind: "forget", refuseEvery: fault === "refused" ? refusedEvery : null });
  const isKilled = fault === "killed" && running.crash !== null;
  const half = { ...script, blocks: Math.floor(script.blocks / 2) };
  const before = await pay(at, half);
  const crashed = isKilled ? running.crash?.() : undefined;
  const after = await pay(at, { ...script, blocks: script.blocks - half.blocks });
  await crashed;
  const payments = [...before, ...after];
  await untilNotified(at, payments, script);
  const { announced, arrivals } = await receiver.ask({ kind: "look" });
  return outcomeOf({ payments, announcedAtMs: new Map(announced), arrivals });
}

/** Mines the blocks at their pace. Answers the payments in them. */
async function pay(
  { anvil, nextMint }: StampedPayments,
  { blocks, everyMs, payments }: Script,
): Promise<Payment[]> {
  const first = (await anvil.blockNumber()) + 1;
  const beganMs = performance.now();
  const paid: Payment[] = [];
  for (let nth = 0; nth < blocks; nth += 1) {
    const calls = Array.from({ length: payments }, () => nextMint().call);
    const hashes = await anvil.batch<string>(calls);
    await sleep(Math.max(0, beganMs + nth * everyMs - performance.now()));
    await anvil.rpc("evm_mine");
    paid.push(...hashes.map((hash) => ({ hash: hash.toLowerCase(), block: first + nth })));
  }
  return paid;
}

/** Waits until each payment has an accepted request, or nothing has come for a while. */
async function untilNotified(
  { receiver }: StampedPayments,
  payments: readonly Payment[],
  { patienceMs }: Script,
): Promise<void> {
  let count = -1;
  let changedMs = performance.now();
  const isOver = async () => {
    const { arrivals } = await receiver.ask({ kind: "look" });
    if (arrivals.length !== count) changedMs = performance.now();
    count = arrivals.length;
    const accepted = arrivals.filter(({ isAccepted }) => isAccepted);
    const named = new Set(accepted.flatMap(({ hashes }) => hashes));
    return (
      payments.every(({ hash }) => named.has(hash)) || performance.now() - changedMs > patienceMs
    );
  };
  await waitFor(isOver, { what: "the notifications", timeoutMs: 30 * patienceMs });
}
