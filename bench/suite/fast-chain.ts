// A chain with a block every 200 ms: from the announcement of a block to the notification of what
// is in it, and what the chain costs while nothing in its blocks is ours, and while nothing may be.
import { randomUUID } from "node:crypto";
import { type Build, buildsWith, ourBuild } from "../process/build.ts";
import { alternate, median } from "../runner/alternate.ts";
import type { BenchOptions } from "../runner/bench.ts";
import { type Line, lineOf } from "../runner/line.ts";
import { cpuShare } from "../support/metrics.ts";
import { drive, type Latency, type Pace, type PacedPayments, sendAtPace } from "../support/pace.ts";
import { openPayments } from "../support/payments.ts";

/**
 * As a chain of the OP stack with 200 ms a block: two transactions of its own in each, and a
 * transfer to us a second.
 */
const fast: Pace = {
  everyMs: 200,
  ours: (block) => (block % 5 === 4 ? 1 : 0),
  others: 2,
  moving: "token",
};
const nothingOurs: Pace = { ...fast, ours: () => 0 };
const nothingMatches: Pace = { ...nothingOurs, moving: "coin" };

export async function run({ quick, report, against }: BenchOptions): Promise<Line[]> {
  const [rounds, blocks] = quick ? [1, 10] : [3, 200];
  const payments = await openPayments("head-receiver", ({ anvil }) => ({ wsUrl: anvil.wsUrl }));
  const each = <Figures>(measureOne: (build: Build) => Promise<Figures>) =>
    Object.fromEntries(buildsWith(against).map((build) => [build.name, () => measureOne(build)]));
  try {
    const matching = await alternate(
      rounds,
      each((build) => measureFast(payments, build, blocks)),
      (name, { p50, p99, share, still }) =>
        report(
          `${name}: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, idle ${share.toFixed(2)} %, without blocks ${still.toFixed(2)} %`,
        ),
    );
    const unmatched = await alternate(
      rounds,
      each((build) => measureUnmatched(payments, build, blocks)),
      (name, { share, still }) =>
        report(
          `${name}, nothing matches: idle ${share.toFixed(2)} %, without blocks ${still.toFixed(2)} %`,
        ),
    );
    return linesOf({ matching, unmatched }, blocks, against);
  } finally {
    await payments.end();
  }
}

const traffic = "200 ms a block, every role, websocket";
const tokensOfOthers = "two payments of a watched token among others in each block, traces";
const coinOfOthers = "two transfers of the coin among others in each block, no traces";

function linesOf(
  figures: {
    matching: (name: string) => FastFigures[];
    unmatched: (name: string) => IdleFigures[];
  },
  blocks: number,
  against: Build | null,
): Line[] {
  const line = (
    named: Pick<Line, "name" | "unit" | "goal" | "conditions">,
    of: (name: string) => number,
  ) =>
    lineOf({
      ...named,
      ours: of(ourBuild.name),
      against: against === null ? null : of(against.name),
    });
  const latency = (of: keyof Latency) =>
    line(
      {
        name: of,
        unit: "ms",
        goal: null,
        conditions: `${traffic}; ${tokensOfOthers}; ${blocks} blocks, a transfer to us in every fifth`,
      },
      (name) => median(figures.matching(name).map((one) => one[of])),
    );
  const cost = (what: string, movements: string, of: (name: string) => IdleFigures[]) =>
    line(
      {
        name: `CPU, ${what}`,
        unit: "% of a core",
        goal: { oursAtMost: 2 },
        conditions: `${traffic}; ${movements}; beyond the same daemon while no block comes`,
      },
      (name) => median(of(name).map(({ share, still }) => share - still)),
    );
  return [
    ...(["p50", "p99"] as const).map(latency),
    cost("nothing matches", coinOfOthers, figures.unmatched),
    cost("nothing is ours", tokensOfOthers, figures.matching),
  ];
}

/** % of a core. `share`: with blocks of which nothing is ours; `still`: without any. */
type IdleFigures = { share: number; still: number };

type FastFigures = Latency & IdleFigures;

/**
 * The latency at 200 ms a block, and how much of a core the daemon takes while no block holds
 * anything of ours.
 */
async function measureFast(
  payments: PacedPayments,
  build: Build,
  blocks: number,
): Promise<FastFigures> {
  const name = `fast_${randomUUID()}`;
  const chain = { rpcUrl: payments.anvil.wsUrl, confirmations: 0 };
  const webhooks = { in_flight: 50 };
  const { daemon } = await payments.serve({ build, name, queue: "redis", chain, webhooks });
  try {
    const latency = await drive(payments, fast, blocks);
    return { ...latency, ...(await measureIdle(payments, daemon.url, nothingOurs, blocks)) };
  } finally {
    await daemon.stop();
  }
}

/**
 * How much of a core it takes while no block holds anything that may be ours. Whoever reads traces
 * has to read each block.
 */
async function measureUnmatched(
  payments: PacedPayments,
  build: Build,
  blocks: number,
): Promise<IdleFigures> {
  const name = `unmatched_${randomUUID()}`;
  const chain = { rpcUrl: payments.anvil.wsUrl, confirmations: 0, tracing: "off" } as const;
  const { daemon } = await payments.serve({ build, name, queue: "redis", chain, webhooks: {} });
  try {
    // Warm as the other one is when it is measured.
    await sendAtPace(payments, nothingMatches, blocks);
    return await measureIdle(payments, daemon.url, nothingMatches, blocks);
  } finally {
    await daemon.stop();
  }
}

async function measureIdle(
  payments: PacedPayments,
  url: string,
  pace: Pace,
  blocks: number,
): Promise<IdleFigures> {
  const forMs = blocks * pace.everyMs;
  const [, share] = await Promise.all([sendAtPace(payments, pace, blocks), cpuShare(url, forMs)]);
  return { share, still: await cpuShare(url, forMs) };
}
