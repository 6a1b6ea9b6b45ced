import { z } from "zod";
import type { BusinessLedger } from "../../../domain/business/business-ledger.ts";
import { toDecimal } from "../../../domain/money/amount.ts";
import {
  type Amount,
  addAmounts,
  type Holding,
  type Holdings,
} from "../../../domain/money/holding.ts";
import {
  netWorthUsd,
  type PricedHolding,
  priceProofDescription,
  priceProofs,
} from "../../../domain/price/price.ts";
import { answer, decimalText, timeText } from "../../../schema/answers.ts";
import { noQuery } from "../../../schema/fields.ts";
import { businessOf } from "../../auth/authenticate.ts";
import type { Web } from "../../http/web.ts";

export type BalanceDeps = Pick<BusinessLedger, "readHoldings">;

const numbers = (description: string) => z.record(z.string(), z.number()).meta({ description });

const usdText = z
  .string()
  .regex(/^-?\d+\.\d\d$/)
  .meta({
    description: "An amount in US dollars with two decimals, rounded half to even.",
    examples: ["6250.25"],
  });

const shownHolding = z
  .object({
    asset: z.string(),
    blockchain: z.string(),
    amount: decimalText.meta({
      description:
        "The confirmed amount in all wallets of that chain together, as an exact decimal.",
    }),
    usd: usdText.nullable().meta({
      description: "The worth of `amount` in US dollars. Null: no fresh price is known.",
    }),
    price_proof: z
      .enum(priceProofs)
      .nullable()
      .meta({
        description: `The source of the price. ${priceProofDescription}. Null where it is fixed or not known.`,
      }),
    pending: decimalText.meta({
      description: "The incoming amount that is not confirmed yet. It is not part of `amount`.",
    }),
  })
  .meta({ id: "Holding" });

const balance = answer({
  net_worth: usdText.meta({ description: "The same number as `net_worth_usd`, as text." }),
  holdings: z.array(shownHolding).meta({
    description:
      "Every asset of every chain that is held or incoming, with exact amounts as texts.",
  }),
  net_worth_usd: z.number().meta({
    description:
      "The worth of all priced holdings in US dollars, with two decimals, rounded half to even. A JSON number.",
  }),
  assets: numbers(
    "The confirmed amount of each asset, by its code, in all wallets together. The JSON numbers have every digit.",
  ),
  pending: numbers(
    "The incoming amount of each asset, by its code, that is not confirmed yet. The JSON numbers have every digit.",
  ),
  unpriced_assets: z.array(z.string()).meta({
    description: "The codes of held assets without a fresh price. `net_worth_usd` leaves them out.",
  }),
  prices_as_of: timeText
    .nullable()
    .meta({ description: "The time of the oldest price that was used. Null: none was used." }),
  syncing_wallets: z.int().meta({
    description:
      "The number of wallets whose opening balance in some asset was not read yet. Those balances are left out of all sums.",
  }),
});

export function balanceRoutes(web: Web, deps: BalanceDeps): void {
  const schema = {
    tags: ["Balance"],
    summary: "What all wallets hold together",
    querystring: noQuery,
    response: { 200: balance },
  };
  web.get("/balance", { schema }, async (request, reply) => {
    const holdings = await deps.readHoldings(businessOf(request));
    // The body is text already, so no serializer touches it. The type of `members` makes
    // balanceText match the schema.
    return reply
      .type("application/json; charset=utf-8")
      .send(balanceText(holdings) as unknown as z.output<typeof balance>);
  });
}

/**
 * The body of GET /balance as text, with every digit of its numbers. JSON.stringify would lose
 * digits (18 decimals, values above 2^53).
 */
export function balanceText({ holdings, syncingWallets }: Holdings): string {
  const held = holdings.filter((holding) => holding.confirmedAtomic !== 0n);
  const worth = held.flatMap(pricedOf);
  const unpriced = held.filter(({ price }) => price === null).map(({ code }) => code);
  const asOfMs = held.flatMap(({ price }) => (price === null ? [] : [price.asOfMs]));
  const oldest = asOfMs.length === 0 ? null : new Date(Math.min(...asOfMs)).toISOString();
  const netWorth = netWorthUsd(worth);
  const members: Record<keyof z.output<typeof balance>, string> = {
    success: "true",
    net_worth_usd: netWorth,
    assets: numbersText(held, (holding) => holding.confirmedAtomic),
    pending: numbersText(holdings, (holding) => holding.pendingAtomic),
    unpriced_assets: JSON.stringify([...new Set(unpriced)]),
    prices_as_of: JSON.stringify(oldest),
    syncing_wallets: String(syncingWallets),
    net_worth: JSON.stringify(netWorth),
    holdings: JSON.stringify(holdings.filter(isShown).map(present)),
  };
  const texts = Object.entries(members).map(([name, text]) => `"${name}":${text}`);
  return `{${texts.join(",")}}`;
}

/** The holding with its price, as a list. Empty if no price is known. */
function pricedOf({ confirmedAtomic, decimals, price }: Holding): PricedHolding[] {
  return price === null ? [] : [{ amountAtomic: confirmedAtomic, decimals, usd: price.usd }];
}

function isShown({ confirmedAtomic, pendingAtomic }: Holding): boolean {
  return confirmedAtomic !== 0n || pendingAtomic !== 0n;
}

function present(holding: Holding): z.output<typeof shownHolding> {
  const { code, chainName, confirmedAtomic, pendingAtomic, decimals, price } = holding;
  return {
    asset: code,
    blockchain: chainName,
    amount: toDecimal(confirmedAtomic, decimals),
    usd: price === null ? null : netWorthUsd(pricedOf(holding)),
    price_proof: price?.proof ?? null,
    pending: toDecimal(pendingAtomic, decimals),
  };
}

/**
 * A JSON object from asset code to number. Adds up the same code on several chains, and leaves out
 * zero.
 */
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
