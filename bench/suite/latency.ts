// From the announcement of a block to the notification of what is in it: ten blocks a second, five transfers each, one
// confirmation. The floor is a loop that is announced the same heads, asks for the logs and posts them, and stores nothing.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "../../test/support/wait-for.ts";
import { type Build, buildsWith, ourBuild } from "../process/build.ts";
import { startProgram } from "../process/start-program.ts";
import { alternate, type Contenders, median } from "../runner/alternate.ts";
import type { BenchOptions } from "../runner/bench.ts";
import { type Line, lineOf } from "../runner/line.ts";
import type { Queue } from "../support/delivery/open-delivery.ts";
import { openPayments, type Payments } from "../support/payments.ts";

const everyMs = 100;
const transfersPerBlock = 5;
const arrivalTimeoutMs = 30_000;
const queues = ["redis", "postgres"] as const;
const goals = {
  redis: { p50: { atMost: 3 }, p99: { atMost: 5 } },
  postgres: { p50: null, p99: null },
} as const;

type Latency = { p50: number; p99: number };

export async function run({ quick, report, against }: BenchOptions): Promise<Line[]> {
  const [rounds, blocks] = quick ? [1, 10] : [3, 200];
  const payments = await openPayments("head-receiver", ({ anvil }) => ({ wsUrl: anvil.wsUrl }));
  try {
    const contenders: Contenders<Latency> = { loop: () => measureLoop(payments, blocks) };
    for (const build of buildsWith(against)) {
      for (const queue of queues)
        contenders[nameOf(build.name, queue)] = () => measure(payments, { build, queue, blocks });
    }
    const figures = await alternate(rounds, contenders, (name, { p50, p99 }) =>
      report(`${name} p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`),
    );
    return linesOf(figures, blocks, against);
  } finally {
    await payments.end();
  }
}

const nameOf = (build: string, queue: Queue) => `${build}, ${queue}`;

function linesOf(
  figures: (name: string) => Latency[],
  blocks: number,
  against: Build | null,
): Line[] {
  const middle = (name: string, of: keyof Latency) => median(figures(name).map((one) => one[of]));
  return queues.flatMap((queue) =>
    (["p50", "p99"] as const).map((of) =>
      lineOf({
        ...{ name: `${of}, ${queue} queue`, unit: "ms" },
        ours: middle(nameOf(ourBuild.name, queue), of),
        baseline: middle("loop", of),
        against: against === null ? null : middle(nameOf(against.name, queue), of),
        goal: goals[queue][of],
        conditions: `${blocks} blocks, ten a second, ${transfersPerBlock} transfers each, one confirmation, websocket; baseline: newHeads, getLogs, POST`,
      }),
    ),
  );
}

type LatencyPayments = Payments<"head-receiver">;

async function measureLoop(payments: LatencyPayments, blocks: number): Promise<Latency> {
  const { anvil, token, receiver } = payments;
  const given = { wsUrl: anvil.wsUrl, token: token.address, port: receiver.ready.port };
  const loop = await startProgram("bare-loop", given);
  try {
    return await drive(payments, blocks);
  } finally {
    await loop.stop();
  }
}

async function measure(
  payments: LatencyPayments,
  { build, queue, blocks }: { build: Build; queue: Queue; blocks: number },
): Promise<Latency> {
  const name = `latency_${randomUUID()}`;
  const chain = { rpcUrl: payments.anvil.wsUrl, confirmations: 0 };
  const webhooks = { in_flight: 50 };
  const { daemon } = await payments.serve({ build, name, queue, chain, webhooks });
  try {
    return await drive(payments, blocks);
  } finally {
    await daemon.stop();
  }
}

async function drive(payments: LatencyPayments, blocks: number): Promise<Latency> {
  // Warm up: connections, plans, compiled code.
  await sendAtPace(payments, 10);
  await payments.receiver.ask("take");
  await sendAtPace(payments, blocks);
  const { latencies } = await payments.receiver.ask("take");
  const sorted = latencies.sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

/** Sends and mines at the pace, then waits until everything has arrived. */
async function sendAtPace(payments: LatencyPayments, blocks: number): Promise<void> {
  const { anvil, receiver } = payments;
  const beganAtMs = performance.now();
  for (let block = 0; block < blocks; block += 1) {
    await anvil.batch(Array.from({ length: transfersPerBlock }, () => payments.nextMint().call));
    const leftMs = beganAtMs + block * everyMs - performance.now();
    if (leftMs > 0) await sleep(leftMs);
    await anvil.rpc("evm_mine");
  }
  const due = blocks * transfersPerBlock;
  const hasAll = async () => (await receiver.ask("count")).count >= due;
  await waitFor(hasAll, { what: `${due} notifications`, timeoutMs: arrivalTimeoutMs });
}
