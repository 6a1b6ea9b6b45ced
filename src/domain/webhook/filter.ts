import { type Exact, exactOf, isAtLeast } from "../exact.ts";

/**
 * The notifications that a webhook wants, or that a reader of the feed asks for. A field that is
 * left out leaves nothing out. All fields that are there must hold.
 */
export type WebhookFilter = {
  events?: readonly string[];
  /** Names of chains. */
  blockchains?: readonly string[];
  /** Codes of assets. */
  assets?: readonly string[];
  walletIds?: readonly string[];
  /** Beginnings of references. A wallet without a reference has none of them. */
  references?: readonly string[];
  /**
   * By the code of an asset, a plain decimal. Any amount of another asset is enough, and so is an
   * event that moves none.
   */
  minAmount?: Readonly<Record<string, string>>;
  /** A plain decimal. An amount without a price is enough. */
  minUsd?: string;
};

/** The most entries of each list of a filter. */
export const mostFilterEntries = 100;

/** The names of its fields for those who ask for it. */
export const filterFieldNames = {
  events: "events",
  blockchains: "blockchains",
  assets: "assets",
  walletIds: "wallet_ids",
  references: "references",
  minAmount: "min_amount",
  minUsd: "min_usd",
} as const satisfies Record<keyof WebhookFilter, string>;

/** The facts of a notification that a filter asks about. */
export type FilteredFacts = {
  event: string;
  chainName: string;
  /** Null: it is about a token that is not configured. */
  assetCode: string | null;
  walletId: string;
  reference: string | null;
  /** Null: the event moves nothing. */
  amount: Exact | null;
  /** In US dollars. Null: without a price, or nothing moves. */
  worth: Exact | null;
};

/** The fields of a filter that speak of configured assets. */
export const assetFields = ["assets", "minAmount", "minUsd"] as const;

/**
 * Says whether a notification is one of those that the filter names. A filter that speaks of
 * configured assets names nothing about a token that is not configured.
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
 * The notifications that a webhook gets by its filter, in words for people. Null: there is no
 * filter. `unasked`: the words for the events of a filter that names none.
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
