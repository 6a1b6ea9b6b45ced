import { z } from "zod";
import { toDecimal } from "../../domain/amount.ts";
import { type Amount, addAmounts, type Holding, type Holdings } from "../../domain/holding.ts";
import { netWorthUsd, type Price, type PricedHolding } from "../../domain/price.ts";
import { businessOf } from "../authenticate.ts";
import type { Web } from "../web.ts";

export type BalanceDeps = {
  readHoldings: (businessId: string) => Promise<Holdings>;
  /** What a unit of an asset is worth, or null where nobody says. */
  priceOf: (chainName: string, assetCode: string) => Price | null;
};

export function balanceRoutes(web: Web, deps: BalanceDeps): void {
  web.get("/balance", { schema: { querystring: z.strictObject({}) } }, async (request, reply) => {
    const holdings = await deps.readHoldings(businessOf(request));
    return reply.type("application/json; charset=utf-8").send(balanceText(holdings, deps.priceOf));
  });
}

/**
 * The body of GET /balance, assembled as text: its numbers carry every digit, which JSON.stringify would take from
 * them (18 decimals, values above 2^53).
 */
export function balanceText(
  { holdings, syncingWallets }: Holdings,
  priceOf: BalanceDeps["priceOf"],
): string {
  const held = holdings.filter((holding) => holding.confirmedAtomic !== 0n);
  const priced = held.map((holding) => ({
    holding,
    price: priceOf(holding.chainName, holding.code),
  }));
  const worth: PricedHolding[] = priced.flatMap(({ holding, price }) =>
    price === null
      ? []
      : [{ amountAtomic: holding.confirmedAtomic, decimals: holding.decimals, usd: price.usd }],
  );
  const unpriced = priced.filter(({ price }) => price === null).map(({ holding }) => holding.code);
  const asOfMs = priced.flatMap(({ price }) => (price === null ? [] : [price.asOfMs]));
  const oldest = asOfMs.length === 0 ? null : new Date(Math.min(...asOfMs)).toISOString();
  return [
    `{"success":true`,
    `"net_worth_usd":${netWorthUsd(worth)}`,
    `"assets":${numbersText(held, (holding) => holding.confirmedAtomic)}`,
    `"pending":${numbersText(holdings, (holding) => holding.pendingAtomic)}`,
    `"unpriced_assets":${JSON.stringify([...new Set(unpriced)])}`,
    `"prices_as_of":${JSON.stringify(oldest)}`,
    `"syncing_wallets":${syncingWallets}}`,
  ].join(",");
}

/** An object of code to number; the same code on several chains is one sum, and zero is left out. */
function numbersText(holdings: Holding[], atomicOf: (holding: Holding) => bigint): string {
  const sums = new Map<string, Amount>();
  for (const holding of holdings) {
    const amount = { atomic: atomicOf(holding), decimals: holding.decimals };
    const sum = sums.get(holding.code);
    sums.set(holding.code, sum === undefined ? amount : addAmounts(sum, amount));
  }
  const members = [...sums]
    .filter(([, { atomic }]) => atomic !== 0n)
    .map(
      ([code, { atomic, decimals }]) => `${JSON.stringify(code)}:${toDecimal(atomic, decimals)}`,
    );
  return `{${members.join(",")}}`;
}
