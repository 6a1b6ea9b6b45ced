import type { EndpointHealth } from "../../domain/chain/chain-status.ts";
import type { Clock } from "../../runtime/clock.ts";
import { type Asked, chargeOf, pricesOf } from "../rpc/provider-prices.ts";
import type { RpcObject } from "../rpc/rpc-value.ts";

const hourMs = 3_600_000;

/** The number of hours that are counted, with the present one. */
const hoursKept = 24;

type Hour = { calls: Map<string, number>; announced: number; announcedBytes: number };

/** Counts the requests to an endpoint in the last day. */
export type AskedInDay = {
  /** Counts a call that was sent, whatever its outcome. */
  asked: (method: string) => void;
  /** Counts a head that was announced. */
  announced: (head: RpcObject) => void;
  summary: () => Pick<EndpointHealth, "calls" | "callsHours" | "charged">;
};

/**
 * Counts by the hour, and forgets the oldest hour as a whole. So the counts are of 23 to 24 hours,
 * or since it was created.
 */
export function createAskedInDay(host: string, clock: Pick<Clock, "elapsed">): AskedInDay {
  const prices = pricesOf(host);
  const begunMs = clock.elapsed();
  const hours = new Map<number, Hour>();

  function oldest(): number {
    return Math.floor(clock.elapsed() / hourMs) - hoursKept + 1;
  }

  function thisHour(): Hour {
    const number = Math.floor(clock.elapsed() / hourMs);
    const known = hours.get(number);
    if (known !== undefined) return known;
    const begun: Hour = { calls: new Map(), announced: 0, announcedBytes: 0 };
    hours.set(number, begun);
    for (const old of hours.keys()) if (old < oldest()) hours.delete(old);
    return begun;
  }

  return {
    asked(method) {
      const { calls } = thisHour();
      calls.set(method, (calls.get(method) ?? 0) + 1);
    },
    announced(head) {
      const hour = thisHour();
      hour.announced += 1;
      // Bytes are counted only if the provider's prices are known. Otherwise nobody uses the
      // number.
      if (prices !== null) hour.announcedBytes += JSON.stringify(head).length;
    },
    summary() {
      const since = Math.max(begunMs, oldest() * hourMs);
      const kept = [...hours].filter(([number]) => number >= oldest()).map(([, hour]) => hour);
      const count = kept.flatMap(({ calls }) => [...calls.values()]);
      return {
        calls: count.reduce((sum, one) => sum + one, 0),
        callsHours: Math.round((clock.elapsed() - since) / (hourMs / 10)) / 10,
        charged: prices && { units: Math.round(chargeIn(kept, prices)), unit: prices.unit },
      };
    },
  };
}

function chargeIn(hours: readonly Asked[], prices: Parameters<typeof chargeOf>[1]): number {
  return hours.reduce((sum, hour) => sum + chargeOf(hour, prices), 0);
}
