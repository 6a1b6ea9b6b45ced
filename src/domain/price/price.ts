import { type Exact, exactOf } from "../exact.ts";
import { keysOf, meaningsOf } from "../keys-of.ts";

/** The price of one whole unit of an asset in US dollars, as an exact decimal. */
export type Price = { usd: string; asOfMs: number };

/** The source of a price. `pinned`: a stablecoin that counts as one dollar. */
export type PriceSource = "fixed" | "pinned" | "chainlink" | "http";

/** The hosts that said a price. */
const priceProofDescriptions = {
  agreed: "two hosts said it",
  answered: "one host said it, near what two said before or with no other to ask",
} as const;

export type PriceProof = keyof typeof priceProofDescriptions;

export const priceProofs = keysOf(priceProofDescriptions);

export const priceProofDescription = meaningsOf(priceProofDescriptions);

/**
 * The price with which a single host's answer is compared. `origin`: the feed or the key from which
 * it was read.
 */
export type PriceAnchor = Price & { proof: PriceProof; origin: string };

/**
 * The price of an asset of a chain. `freshUntilMs`: it may be used until then; null: for ever.
 * `proof`: null for a price that the configuration fixes. `anchor`: what later answers are compared
 * with; null: the stored anchor stays.
 */
export type AssetPrice = Price & {
  chainName: string;
  assetCode: string;
  source: PriceSource;
  freshUntilMs: number | null;
  proof: PriceProof | null;
  anchor: PriceAnchor | null;
};

/** A holding, with the price of one unit. */
export type PricedHolding = { amountAtomic: bigint; decimals: number; usd: string };

const centScale = 2;

/**
 * The value of all holdings together. It is exact, and rounded once at the end, half to even, to
 * two decimals.
 */
export function netWorthUsd(holdings: readonly PricedHolding[]): string {
  const values = holdings.map(worthOf);
  const scale = values.reduce((most, value) => Math.max(most, value.scale), centScale);
  const total = values.reduce(
    (sum, value) => sum + value.units * 10n ** BigInt(scale - value.scale),
    0n,
  );
  const cents = divideHalfEven(total, 10n ** BigInt(scale - centScale));
  const digits = (cents < 0n ? -cents : cents).toString().padStart(centScale + 1, "0");
  return `${cents < 0n ? "-" : ""}${digits.slice(0, -centScale)}.${digits.slice(-centScale)}`;
}

/** The exact value of a holding in US dollars. */
export function worthOf({ amountAtomic, decimals, usd }: PricedHolding): Exact {
  const price = exactOf(usd);
  return { units: amountAtomic * price.units, scale: decimals + price.scale };
}

/** Rounds to the nearest integer, and a tie to the even one. `divisor` must be positive. */
function divideHalfEven(value: bigint, divisor: bigint): bigint {
  const magnitude = value < 0n ? -value : value;
  const floor = magnitude / divisor;
  const twice = (magnitude % divisor) * 2n;
  const isUp = twice > divisor || (twice === divisor && floor % 2n === 1n);
  const rounded = isUp ? floor + 1n : floor;
  return value < 0n ? -rounded : rounded;
}
