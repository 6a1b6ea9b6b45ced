/** What a search finds. */
export const foundKinds = [
  "transaction",
  "wallet",
  "notification",
  "key",
  "business",
  "chain",
] as const;

export type Found = {
  kind: (typeof foundKinds)[number];
  /** Of a chain: its name. */
  id: string;
  /** What it is called, or how it is recognised. */
  label: string;
  /** What else distinguishes it. */
  detail: string;
};

/** @param businessId null: everybody's, for an operator */
export type Search = { businessId: string | null; text: string };

/** Of each kind, at most. */
export const maxFound = 10;
