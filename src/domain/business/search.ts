/** The kinds of things that a search finds. */
export const foundKinds = [
  "transaction",
  "sighting",
  "wallet",
  "notification",
  "key",
  "business",
  "chain",
] as const;

export type Found = {
  kind: (typeof foundKinds)[number];
  /** The id, or the name of a chain. */
  id: string;
  /** The name of the thing, or another text by which people recognise it. */
  label: string;
  /** Further text that distinguishes it. */
  detail: string;
  /** The business that owns it. Null: it is a chain. */
  businessId: string | null;
};

/** A search. `businessId` null: among all businesses, for an operator. */
export type Search = { businessId: string | null; text: string };

/** The most results of each kind. */
export const maxFound = 10;
