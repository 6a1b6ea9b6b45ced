// What OpenTelemetry spans cost: notifications a second with all of them, with those of one in a hundred, and without.
import { createResources } from "../../test/support/resources.ts";
import { ourBuild } from "../process/build.ts";
import { medians } from "../runner/alternate.ts";
import type { BenchOptions } from "../runner/bench.ts";
import { type Line, lineOf } from "../runner/line.ts";
import { openDelivery } from "../support/delivery/open-delivery.ts";
import { openReceivers } from "../support/delivery/receivers.ts";
import { openServers } from "../support/servers.ts";

/** By the name of a contender, the share of transactions whose spans are sent; null: none is, and nothing is loaded. */
const shares = { "without spans": null, "one in a hundred": "0.01", "all of them": "1" };
const floor = "without spans";

export async function run({ quick, report }: BenchOptions): Promise<Line[]> {
  const load = quick
    ? { businesses: 20, each: 10, warmUp: 2, rounds: 1 }
    : { businesses: 50, each: 200, warmUp: 20, rounds: 5 };
  const { businesses: count, each, warmUp, rounds } = load;
  const { open, end } = createResources();
  try {
    const servers = await open(openServers(), (one) => one.end());
    const receivers = await open(openReceivers({ count, answerAfterMs: 0 }), (one) => one.end());
    // It answers a collector's part: that it was taken.
    const collector = await open(openReceivers({ count: 1, answerAfterMs: 0 }), (one) => one.end());
    const contenders: Record<string, () => Promise<number>> = {};
    for (const [name, share] of Object.entries(shares)) {
      const environment = share === null ? {} : sampling(share, collector.ports[0] ?? 0);
      const opening = openDelivery(servers, {
        ...{ build: ourBuild, queue: "redis", receivers, environment },
      });
      const delivery = await open(opening, (one) => one.end());
      await delivery.start("relay,dispatcher");
      await delivery.deliver(warmUp);
      contenders[name] = () => delivery.deliver(each);
    }
    const figure = await medians(rounds, contenders, report);
    return Object.keys(shares)
      .filter((name) => name !== floor)
      .map((name) =>
        lineOf({
          ...{ name, unit: "per s", ours: figure(name), baseline: figure(floor) },
          conditions: `${(count * each).toLocaleString("en")} notifications, receivers at 0 ms, Redis`,
        }),
      );
  } finally {
    await end();
  }
}

function sampling(share: string, port: number): Record<string, string> {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    ...{ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: share },
  };
}
