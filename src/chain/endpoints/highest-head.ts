import type { ChainHead } from "../../domain/chain/chain-status.ts";
import type { Endpoint } from "./endpoint.ts";

/**
 * The highest of the heads that endpoints named last, seen when any of them was; null: none has
 * named one.
 */
export function highestHead(endpoints: readonly Pick<Endpoint, "lastHead">[]): ChainHead | null {
  const named = endpoints.flatMap(({ lastHead }) => lastHead ?? []);
  const [first] = named.toSorted((a, b) => Number(b.number - a.number));
  if (first === undefined) return null;
  return { ...first, seenMs: Math.max(...named.map(({ seenMs }) => seenMs)) };
}
