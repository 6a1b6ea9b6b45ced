import type { ChainHead } from "../../domain/chain/chain-status.ts";
import type { Endpoint } from "./endpoint.ts";

/**
 * The highest head that these endpoints named last, with the latest time at which any of them named
 * one. Null: none has named a head.
 */
export function highestHead(endpoints: readonly Pick<Endpoint, "lastHead">[]): ChainHead | null {
  const named = endpoints.flatMap(({ lastHead }) => lastHead ?? []);
  const [first] = named.toSorted((a, b) => Number(b.number - a.number));
  if (first === undefined) return null;
  return { ...first, seenMs: Math.max(...named.map(({ seenMs }) => seenMs)) };
}
