import type { ChainHead } from "../../domain/chain/chain-status.ts";
import type { Endpoint } from "./endpoint.ts";

/**
 * The highest head that these endpoints named last, with the latest time at which any of them named
 * that height. A lower one named since then says nothing about the height. Null: none has named a
 * head.
 */
export function highestHead(endpoints: readonly Pick<Endpoint, "lastHead">[]): ChainHead | null {
  const named = endpoints.flatMap(({ lastHead }) => lastHead ?? []);
  const [first] = named.toSorted((a, b) => Number(b.number - a.number));
  if (first === undefined) return null;
  const asHigh = named.filter(({ number }) => number === first.number);
  return { ...first, seenMs: Math.max(...asHigh.map(({ seenMs }) => seenMs)) };
}
