// From the announcement of a block to the notification of what is in it: ten blocks a second, five transfers each, one
// confirmation. The floor is a loop that is announced the same heads, asks for the logs and posts them, and stores nothing.
// Then a chain with a block every 200 ms: the same for single transfers in it, and what it costs while nothing is ours.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "../../test/support/wait-for.ts";
import { type Build, buildsWith, ourBuild } from "../process/build.ts";
import { startProgram } from "../process/start-program.ts";
import { alternate, type Contenders, median } from "../runner/alternate.ts";
import type { BenchOptions } from "../runner/bench.ts";
import { type Line, lineOf } from "../runner/line.ts";
import type { Queue } from "../support/delivery/open-delivery.ts";
import { cpuShare } from "../support/metrics.ts";
import { openPayments, type Payments } from "../support/payments.ts";
import { randomAddress } from "../support/random-address.ts";

/** How blocks come: each so many ms after the one before, with so many transfers to our wallets and to others. */
type Pace = { everyMs: number; ours: (block: number) => number; others: number };

const transfersPerBlock = 5;
const usual: Pace = { everyMs: 100, ours: () => transfersPerBlock, others: 0 };
/** As a chain of the OP stack with 200 ms a block: two transactions of its own in each, and a transfer to us a second. */
const fast: Pace = { everyMs: 200, ours: (block) => (block % 5 === 4 ? 1 : 0), others: 2 };
const nothingOurs: Pace = { ...fast, ours: () => 0 };
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
    const fastFigures = await alternate(
      rounds,
      Object.fromEntries(
        buildsWith(against).map((build) => [
          build.name,
          () => measureFast(payments, build, blocks),
        ]),
      ),
      (name, { p50, p99, share, still }) =>
        report(
          `${name}, 200 ms a block: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, idle ${share.toFixed(2)} %, without blocks ${still.toFixed(2)} %`,
        ),
    );
    return [...linesOf(figures, blocks, against), ...fastLines(fastFigures, blocks, against)];
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

function fastLines(
  figures: (name: string) => FastFigures[],
  blocks: number,
  against: Build | null,
): Line[] {
  const middle = (name: string, of: keyof FastFigures) =>
    median(figures(name).map((one) => one[of]));
  const conditions = "200 ms a block, two transactions of others in each, every role, websocket";
  const line = (of: keyof FastFigures, named: Pick<Line, "name" | "unit"> & Partial<Line>) =>
    lineOf({
      ...named,
      ours: middle(ourBuild.name, of),
      against: against === null ? null : middle(against.name, of),
      conditions: named.conditions ?? conditions,
    });
  const withOurs = `${conditions}; ${blocks} blocks, a transfer to us in every fifth`;
  return [
    line("p50", { name: "p50, 200 ms a block", unit: "ms", conditions: withOurs }),
    line("p99", { name: "p99, 200 ms a block", unit: "ms", conditions: withOurs }),
    line("share", {
      ...{ name: "idle CPU, 200 ms a block", unit: "% of a core" },
      goal: { oursAtMost: 2 },
      conditions: `${conditions}; baseline: the same daemon while no block comes`,
      baseline: middle(ourBuild.name, "still"),
    }),
  ];
}

type LatencyPayments = Payments<"head-receiver">;

async function measureLoop(payments: LatencyPayments, blocks: number): Promise<Latency> {
  const { anvil, token, receiver } = payments;
  const given = { wsUrl: anvil.wsUrl, token: token.address, port: receiver.ready.port };
  const loop = await startProgram("bare-loop", given);
  try {
    return await drive(payments, usual, blocks);
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
    return await drive(payments, usual, blocks);
  } finally {
    await daemon.stop();
  }
}

/** `share`: with blocks of which nothing is ours; `still`: without any. */
type FastFigures = Latency & { share: number; still: number };

/** The latency at 200 ms a block, and how much of a core the daemon takes while no block holds anything of ours. */
async function measureFast(
  payments: LatencyPayments,
  build: Build,
  blocks: number,
): Promise<FastFigures> {
  const name = `fast_${randomUUID()}`;
  const chain = { rpcUrl: payments.anvil.wsUrl, confirmations: 0 };
  const webhooks = { in_flight: 50 };
  const { daemon } = await payments.serve({ build, name, queue: "redis", chain, webhooks });
  try {
    const latency = await drive(payments, fast, blocks);
    const [, share] = await Promise.all([
      sendAtPace(payments, nothingOurs, blocks),
      cpuShare(daemon.url, blocks * fast.everyMs),
    ]);
    return { ...latency, share, still: await cpuShare(daemon.url, blocks * fast.everyMs) };
  } finally {
    await daemon.stop();
  }
}

async function drive(payments: LatencyPayments, pace: Pace, blocks: number): Promise<Latency> {
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
async function sendAtPace(payments: LatencyPayments, pace: Pace, blocks: number): Promise<void> {
  const { anvil, receiver } = payments;
  const { everyMs, ours, others } = pace;
  const stranger = randomAddress();
  const beganAtMs = performance.now();
  let due = 0;
  for (let block = 0; block < blocks; block += 1) {
    const toUs = ours(block);
    due += toUs;
    const calls = [
      ...Array.from({ length: toUs }, () => payments.nextMint().call),
      ...Array.from({ length: others }, () => payments.nextMint(stranger).call),
    ];
    await anvil.batch(calls);
    const leftMs = beganAtMs + block * everyMs - performance.now();
    if (leftMs > 0) await sleep(leftMs);
    await anvil.rpc("evm_mine");
  }
  const hasAll = async () => (await receiver.ask("count")).count >= due;
  await waitFor(hasAll, { what: `${due} notifications`, timeoutMs: arrivalTimeoutMs });
}
