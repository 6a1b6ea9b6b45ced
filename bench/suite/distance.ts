// What a PostgreSQL costs that is far away: from the announcement of a block with one deposit to
// its notification. What each further ms of a round trip adds is the number of round trips in
// sequence, which holds on a busy machine too.
import { randomUUID } from "node:crypto";
import { type Build, buildsWith, ourBuild } from "../process/build.ts";
import type { BenchOptions } from "../runner/bench.ts";
import { type Line, lineOf } from "../runner/line.ts";
import { startDelayingProxy } from "../support/delaying-proxy.ts";
import { drive, type PacedPayments } from "../support/pace.ts";
import { openPayments } from "../support/payments.ts";

const distances = [0, 2, 20, 80];

/** Between these two distances the round trips are counted, in ms. */
const counted = { from: 20, to: 80 };

/** A block is through before the next one comes. */
const everyMs = (roundTripMs: number) => 200 + 30 * roundTripMs;

export async function run({ quick, report, against }: BenchOptions): Promise<Line[]> {
  const blocks = quick ? 4 : 20;
  const payments = await openPayments("head-receiver", ({ anvil }) => ({ wsUrl: anvil.wsUrl }));
  try {
    const lines: Line[] = [];
    const builds = buildsWith(against);
    const found = new Map<string, number>();
    const of = (build: Build | null, roundTripMs: number) =>
      build === null ? null : (found.get(`${build.name} ${roundTripMs}`) ?? Number.NaN);
    for (const roundTripMs of distances) {
      for (const build of builds) {
        const p50 = await measure(payments, { build, roundTripMs, blocks });
        report(`${build.name}, ${roundTripMs} ms away: p50 ${p50.toFixed(1)} ms`);
        found.set(`${build.name} ${roundTripMs}`, p50);
      }
      lines.push(
        lineOf({
          name: `p50, PostgreSQL ${roundTripMs} ms away`,
          unit: "ms",
          ours: of(ourBuild, roundTripMs) ?? Number.NaN,
          against: of(against, roundTripMs),
          conditions: `${blocks} blocks, a deposit each, one confirmation, Redis queue, websocket`,
        }),
      );
    }
    const tripsOf = (build: Build) =>
      ((of(build, counted.to) ?? 0) - (of(build, counted.from) ?? 0)) / (counted.to - counted.from);
    return [
      ...lines,
      lineOf({
        name: "round trips to PostgreSQL in sequence",
        unit: "",
        ours: tripsOf(ourBuild),
        against: against === null ? null : tripsOf(against),
        goal: { oursAtMost: 8 },
        conditions: `what the p50 grows by between ${counted.from} and ${counted.to} ms`,
      }),
    ];
  } finally {
    await payments.end();
  }
}

async function measure(
  payments: PacedPayments,
  { build, roundTripMs, blocks }: { build: Build; roundTripMs: number; blocks: number },
): Promise<number> {
  const proxies: { stop: () => Promise<void> }[] = [];
  const { daemon } = await payments.serve({
    build,
    name: `distance_${randomUUID()}`,
    queue: "redis",
    chain: { rpcUrl: payments.anvil.wsUrl, confirmations: 0 },
    webhooks: {},
    async reach(databaseUrl) {
      const url = new URL(databaseUrl);
      const proxy = await startDelayingProxy(Number(url.port), roundTripMs);
      proxies.push(proxy);
      url.port = String(proxy.port);
      return url.href;
    },
  });
  try {
    const pace = {
      everyMs: everyMs(roundTripMs),
      ours: () => 1,
      others: 0,
      moving: "token",
    } as const;
    return (await drive(payments, pace, blocks)).p50;
  } finally {
    await daemon.stop();
    for (const proxy of proxies) await proxy.stop();
  }
}
