import { nativeAddress } from "../../../src/domain/money/movement.ts";
import type { Filter } from "../../support/delivery/judge-filter.ts";
import { tokens } from "../chain/addresses.ts";
import type { Random } from "../random.ts";

/** What wallets are called: some begin alike, and some have no name. */
export const references = ["shop-1", "shop-17", "bar", null] as const;

/** A chain of which nothing is ever heard. */
export const idleChain = "idle";

/** The assets of the simulated chain, as the operator calls them. */
export const codes = [nativeAddress, ...tokens].map((_, at) => (at === 0 ? "COIN" : `T${at - 1}`));

const events = [
  "transaction.deposit",
  "transaction.withdrawal",
  "transaction.payment",
  "transaction.reversed",
  "transaction.pending",
  "transaction.dropped",
];

const atomic = [2, 8, 100, 1_000];

/** Some amount that is moved often, of an asset. */
function amountOf(random: Random, code: string): string {
  const decimals = code === "COIN" ? 18 : 6;
  return `0.${random.pick(atomic).toString().padStart(decimals, "0")}`;
}

/**
 * A filter with a few fields, or none. Now and then it can match nothing, and is refused.
 * `walletIds`: of the business's own.
 */
export function drawFilter(random: Random, walletIds: readonly string[]): Filter | null {
  if (random.chance(0.25)) return null;
  const some = <T>(items: readonly T[], chance: number) =>
    items.filter(() => random.chance(chance));
  const fields: Filter = {
    events: some(events, 0.4),
    blockchains: random.pick([["simulated"], ["simulated", idleChain], [idleChain]]),
    assets: some(codes, 0.5),
    walletIds: some(walletIds, 0.5),
    references: some(["shop-", "shop-17", "b"], 0.5),
    minAmount: Object.fromEntries(some(codes, 0.5).map((code) => [code, amountOf(random, code)])),
    minUsd: random.pick(["0.002", "0.1", "1", "12.345"]),
  };
  const isChosen = () => random.chance(0.25);
  const chosen = Object.entries(fields).filter(
    ([, value]) => isChosen() && (typeof value === "string" || Object.keys(value).length > 0),
  );
  return chosen.length === 0 ? null : Object.fromEntries(chosen);
}
