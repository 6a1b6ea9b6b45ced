import { type Exact, exactOf, isAtLeast } from "../exact.ts";

/**
 * The notifications that a webhook or a reader of the feed wants. All fields that are present must
 * match. A field that is left out matches everything.
 */
export type WebhookFilter = {
  events?: readonly string[];
  /** Names of chains. */
  blockchains?: readonly string[];
  /** Codes of assets. */
  assets?: readonly string[];
  walletIds?: readonly string[];
  /** Beginnings of references. A wallet without a reference does not match. */
  references?: readonly string[];
  /**
   * The least amount by asset code, a plain decimal. Every amount of another asset matches, and so
   * does an event without an amount.
   */
  minAmount?: Readonly<Record<string, string>>;
  /** The least value, a plain decimal. An amount without a price matches. */
  minUsd?: string;
};

/** The most entries of each list of a filter. */
export const mostFilterEntries = 100;

/** The public names of its fields. */
export const filterFieldNames = {
  events: "events",
  blockchains: "blockchains",
  assets: "assets",
  walletIds: "wallet_ids",
  references: "references",
  minAmount: "min_amount",
  minUsd: "min_usd",
} as const satisfies Record<keyof WebhookFilter, string>;

/** The facts of a notification that filters use. */
export type FilteredFacts = {
  event: string;
  chainName: string;
  /** Null: the token is not configured. */
  assetCode: string | null;
  walletId: string;
  reference: string | null;
  /** Null: the event has no amount. */
  amount: Exact | null;
  /** The value in US dollars. Null: there is no price, or no amount. */
  worth: Exact | null;
};

/** The fields of a filter that concern configured assets. */
export const assetFields = ["assets", "minAmount", "minUsd"] as const;

/**
 * True if a filter matches a notification. A filter with a field about configured assets does not
 * match a token that is not configured.
 */
export function matches(filter: WebhookFilter, facts: FilteredFacts): boolean {
  const { references } = filter;
  return (
    isAmong(filter.events, facts.event) &&
    isAmong(filter.blockchains, facts.chainName) &&
    isAmong(filter.walletIds, facts.walletId) &&
    (references === undefined || beginsWithOne(facts.reference, references)) &&
    matchesAsset(filter, facts)
  );
}

function matchesAsset(filter: WebhookFilter, { assetCode, amount, worth }: FilteredFacts): boolean {
  if (assetCode === null) return assetFields.every((field) => filter[field] === undefined);
  const { assets, minAmount, minUsd } = filter;
  const least = minAmount?.[assetCode];
  return (
    isAmong(assets, assetCode) &&
    (least === undefined || amount === null || isAtLeast(amount, exactOf(least))) &&
    (minUsd === undefined || worth === null || isAtLeast(worth, exactOf(minUsd)))
  );
}

function isAmong(wanted: readonly string[] | undefined, value: string): boolean {
  return wanted === undefined || wanted.includes(value);
}

/** True if a reference begins with one of the texts. */
export function beginsWithOne(reference: string | null, beginnings: readonly string[]): boolean {
  return reference !== null && beginnings.some((one) => reference.startsWith(one));
}

/**
 * Describes in words which notifications pass a filter. Null: there is no filter. `unasked`: the
 * words for the events of a filter that names none.
 */
export function filterWords(filter: WebhookFilter | null, unasked: string): string {
  const { events, blockchains, assets, walletIds, references, minAmount, minUsd } = filter ?? {};
  const least = Object.entries(minAmount ?? {}).map(([code, amount]) => `${amount} ${code}`);
  const parts = [
    events === undefined ? unasked : either(events),
    blockchains === undefined ? null : `on ${either(blockchains)}`,
    assets === undefined ? null : `of ${either(assets)}`,
    walletIds === undefined ? null : `for the wallet ${either(walletIds)}`,
    references === undefined
      ? null
      : `with a reference that begins with ${either(references.map((one) => `"${one}"`))}`,
    least.length === 0 ? null : `from ${either(least)}`,
    minUsd === undefined ? null : `worth at least ${minUsd} USD or without a price`,
  ];
  return parts.filter((part) => part !== null).join(", ");
}

function either(texts: readonly string[]): string {
  const last = texts.at(-1) ?? "";
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(", ")} or ${last}`;
}
