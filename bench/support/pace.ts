import { setTimeout as sleep } from "node:timers/promises";
import { ANVIL_ACCOUNTS } from "../../test/support/chain/anvil.ts";
import { waitFor } from "../../test/support/wait-for.ts";
import type { Payments } from "./payments.ts";
import { randomAddress } from "./random-address.ts";

/**
 * How blocks come: each so many ms after the one before, with so many transfers to our wallets and
 * to others.
 */
export type Pace = {
  everyMs: number;
  ours: (block: number) => number;
  others: number;
  /**
   * What those to others move: the watched token, so that the block may hold something of ours, or
   * the chain's coin.
   */
  moving: "token" | "coin";
};

/** In ms, from the announcement of a block to the notification. */
export type Latency = { p50: number; p99: number };

export type PacedPayments = Payments<"head-receiver">;

/** What has not arrived by then makes the measurement fail. */
const arrivalTimeoutMs = 30_000;

/** The latencies of so many blocks at that pace. */
export async function drive(payments: PacedPayments, pace: Pace, blocks: number): Promise<Latency> {
  // Warm up: connections, plans, compiled code.
  await sendAtPace(payments, pace, 10);
  await payments.receiver.ask("take");
  await sendAtPace(payments, pace, blocks);
  const { latencies } = await payments.receiver.ask("take");
  const sorted = latencies.sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

/** Sends and mines at the pace, then waits until everything has arrived. */
export async function sendAtPace(
  payments: PacedPayments,
  pace: Pace,
  blocks: number,
): Promise<void> {
  const { anvil, receiver } = payments;
  const { everyMs, ours, others, moving } = pace;
  const stranger = randomAddress();
  const toOther = (nth: number) =>
    moving === "token" ? payments.nextMint(stranger).call : coinTransfer(nth, stranger);
  const beganAtMs = performance.now();
  let due = 0;
  for (let block = 0; block < blocks; block += 1) {
    const toUs = ours(block);
    due += toUs;
    const calls = [
      ...Array.from({ length: toUs }, () => payments.nextMint().call),
      ...Array.from({ length: others }, (_, nth) => toOther(nth)),
    ];
    await anvil.batch(calls);
    const leftMs = beganAtMs + block * everyMs - performance.now();
    if (leftMs > 0) await sleep(leftMs);
    await anvil.rpc("evm_mine");
  }
  const hasAll = async () => (await receiver.ask("count")).count >= due;
  await waitFor(hasAll, { what: `${due} notifications`, timeoutMs: arrivalTimeoutMs });
}

/** Of one of the chain's own accounts, another for each `nth` of a block. */
function coinTransfer(nth: number, to: string) {
  const from = ANVIL_ACCOUNTS[5 + nth];
  return { method: "eth_sendTransaction", params: [{ from, to, value: "0x1", gas: "0x5208" }] };
}
