// From the announcement of a block to the notification of what is in it: ten blocks a second, five
// transfers each, one confirmation. The bare floor is a loop that is announced the same heads, asks
// for the logs and posts them, and stores nothing. The durable one keeps the promises that ours does.
import { randomBytes, randomUUID } from "node:crypto";
import { type Build, buildsWith, ourBuild } from "../process/build.ts";
import { startProgram } from "../process/start-program.ts";
import { alternate, type Contenders, median } from "../runner/alternate.ts";
import type { BenchOptions } from "../runner/bench.ts";
import { type Line, lineOf } from "../runner/line.ts";
import type { Queue } from "../support/delivery/open-delivery.ts";
import { drive, type Latency, type Pace, type PacedPayments } from "../support/pace.ts";
import { openPayments } from "../support/payments.ts";

const transfersPerBlock = 5;
const usual: Pace = { everyMs: 100, ours: () => transfersPerBlock, others: 0, moving: "token" };
const queues = ["redis", "postgres"] as const;
const goals = {
  redis: { p50: { atMost: 2 }, p99: { atMost: 2 } },
  postgres: { p50: { atMost: 2.4 }, p99: { atMost: 2.4 } },
} as const;

export async function run({ quick, report, against }: BenchOptions): Promise<Line[]> {
  const [rounds, blocks] = quick ? [1, 10] : [3, 200];
  const payments = await openPayments("head-receiver", ({ anvil }) => ({ wsUrl: anvil.wsUrl }));
  try {
    const contenders: Contenders<Latency> = {
      bare: () => measureBare(payments, blocks),
      durable: () => measureDurable(payments, blocks),
    };
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
        name: `${of}, ${queue} queue`,
        unit: "ms",
        ours: middle(nameOf(ourBuild.name, queue), of),
        baseline: middle("bare", of),
        durable: middle("durable", of),
        against: against === null ? null : middle(nameOf(against.name, queue), of),
        goal: goals[queue][of],
        conditions: `${blocks} blocks, ten a second, ${transfersPerBlock} transfers each, one confirmation, websocket`,
      }),
    ),
  );
}

async function measureBare(payments: PacedPayments, blocks: number): Promise<Latency> {
  const { anvil, token, receiver } = payments;
  const given = { wsUrl: anvil.wsUrl, token: token.address, port: receiver.ready.port };
  return driveBeside(payments, blocks, startProgram("bare-loop", given));
}

async function measureDurable(payments: PacedPayments, blocks: number): Promise<Latency> {
  const { anvil, receiver, cluster, wallets } = payments;
  const databaseUrl = await cluster.createDatabase(`durable_${randomUUID()}`);
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  const given = { wsUrl: anvil.wsUrl, port: receiver.ready.port, databaseUrl, wallets, secret };
  return driveBeside(payments, blocks, startProgram("durable-loop", given));
}

async function driveBeside(
  payments: PacedPayments,
  blocks: number,
  starting: Promise<{ stop: () => Promise<void> }>,
): Promise<Latency> {
  const program = await starting;
  try {
    return await drive(payments, usual, blocks);
  } finally {
    await program.stop();
  }
}

async function measure(
  payments: PacedPayments,
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
