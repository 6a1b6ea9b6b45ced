import type { WebhookFilter } from "../../../src/domain/webhook/filter.ts";

/** The fields of docs/contract.md#filters. What they mean is judged here anew. */
export type Filter = WebhookFilter;

/** The part of a body that filters ask about. */
export type Told = {
  event: string;
  data: {
    blockchain: string;
    asset?: string;
    walletId: string;
    reference: string | null;
    amount?: string;
  };
};

/**
 * Says whether a filter names a notification. Written from the contract alone: the code under test
 * has a judge of its own. `usd`: the price of one whole unit of its asset; null: there is none.
 */
export function isNamed(filter: Filter | null, { event, data }: Told, usd: string | null): boolean {
  if (event === "token.unlisted" && !filter?.events?.includes(event)) return false;
  if (filter === null) return true;
  const { asset, amount, reference } = data;
  const isOneOf = (list: readonly string[] | undefined, value: string) =>
    list === undefined || new Set(list).has(value);
  if (!isOneOf(filter.events, event)) return false;
  if (!isOneOf(filter.blockchains, data.blockchain)) return false;
  if (!isOneOf(filter.walletIds, data.walletId)) return false;
  if (filter.references !== undefined) {
    const isBegun = filter.references.some((one) => reference?.slice(0, one.length) === one);
    if (!isBegun) return false;
  }
  if (asset === undefined)
    return [filter.assets, filter.minAmount, filter.minUsd].every((one) => one === undefined);
  if (!isOneOf(filter.assets, asset)) return false;
  if (amount === undefined) return true;
  const least = Object.entries(filter.minAmount ?? {}).find(([code]) => code === asset)?.[1];
  if (least !== undefined && places(amount) < places(least)) return false;
  if (filter.minUsd === undefined || usd === null) return true;
  return places(amount) * places(usd) >= places(filter.minUsd) * one;
}

/** More places than any decimal here has. */
const digits = 100;
const one = 10n ** BigInt(digits);

function places(decimal: string): bigint {
  const [whole = "0", part = ""] = decimal.split(".");
  return BigInt(whole + part.padEnd(digits, "0"));
}
