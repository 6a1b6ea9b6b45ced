// What OpenTelemetry spans cost: notifications a second and CPU time for each, with all spans, with
// those of one in a hundred, and without.
import { createResources } from "../../test/support/resources.ts";
import { ourBuild } from "../process/build.ts";
import { alternate, type Contenders, median } from "../runner/alternate.ts";
import type { BenchOptions } from "../runner/bench.ts";
import { type Line, lineOf } from "../runner/line.ts";
import { type Delivery, openDelivery } from "../support/delivery/open-delivery.ts";
import { openReceivers } from "../support/delivery/receivers.ts";
import { openServers } from "../support/servers.ts";

/**
 * By the name of a contender, the share of transactions whose spans are sent; null: none is, and
 * nothing is loaded.
 */
const shares = { "without spans": null, "one in a hundred": "0.01", "all of them": "1" };
const floor = "without spans";

type Figures = { perSecond: number; cpuMs: number; dropped: number };

export async function run({ quick, report }: BenchOptions): Promise<Line[]> {
  const load = quick
    ? { businesses: 20, each: 10, warmUp: 2, rounds: 1 }
    : { businesses: 50, each: 100, warmUp: 20, rounds: 5 };
  const { businesses: count, each, warmUp, rounds } = load;
  const { open, end } = createResources();
  try {
    const servers = await open(openServers(), (one) => one.end());
    const receivers = await open(openReceivers({ count, answerAfterMs: 0 }), (one) => one.end());
    // It answers a collector's part: that it was taken.
    const collector = await open(openReceivers({ count: 1, answerAfterMs: 0 }), (one) => one.end());
    const contenders: Contenders<Figures> = {};
    for (const [name, share] of Object.entries(shares)) {
      const environment = share === null ? {} : sampling(share, collector.ports[0] ?? 0);
      const opening = openDelivery(servers, {
        build: ourBuild,
        queue: "redis",
        receivers,
        environment,
      });
      const delivery = await open(opening, (one) => one.end());
      await delivery.start("relay,dispatcher");
      await delivery.deliver(warmUp);
      contenders[name] = () => measure(delivery, each);
    }
    const figures = await alternate(rounds, contenders, (name, { perSecond, cpuMs, dropped }) =>
      report(`${name} ${perSecond.toFixed()} per s, ${cpuMs.toFixed(3)} ms, ${dropped} dropped`),
    );
    const middle = (name: string, key: keyof Figures) =>
      median(figures(name).map((one) => one[key]));
    const conditions = `${(count * each).toLocaleString("en")} notifications, receivers at 0 ms, Redis`;
    return Object.keys(shares)
      .filter((name) => name !== floor)
      .flatMap((name) => [
        lineOf({
          name,
          unit: "per s",
          conditions,
          ours: middle(name, "perSecond"),
          baseline: middle(floor, "perSecond"),
        }),
        lineOf({
          name: `${name}, CPU`,
          unit: "ms each",
          conditions,
          ours: middle(name, "cpuMs"),
          baseline: middle(floor, "cpuMs"),
        }),
      ]);
  } finally {
    await end();
  }
}

/** Of all its notifications; `cpuMs` for one of them. */
async function measure(delivery: Delivery, each: number): Promise<Figures> {
  const read = async () => ({
    cpuMs: 1_000 * (await delivery.count("chainbell_process_cpu_seconds_total")),
    dropped: await delivery.count("chainbell_spans_dropped_total"),
  });
  const before = await read();
  const perSecond = await delivery.deliver(each);
  const after = await read();
  const cpuMs = (after.cpuMs - before.cpuMs) / (each * delivery.businesses.length);
  return { perSecond, cpuMs, dropped: after.dropped - before.dropped };
}

function sampling(share: string, port: number): Record<string, string> {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,

    OTEL_TRACES_SAMPLER: "traceidratio",
    OTEL_TRACES_SAMPLER_ARG: share,
  };
}
