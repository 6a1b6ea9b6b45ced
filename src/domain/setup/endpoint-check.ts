/** How it answers several requests at once. */
export type EndpointRate =
  | { kind: "kept up"; perSecond: number }
  /** After so many answers it refused, mostly because it allows fewer; in its own words. */
  | { kind: "refused"; after: number; reason: string };

/** What an endpoint of a chain answers; null: it was not found out, because something before it failed. */
export type EndpointCheck = {
  /** For people: the host, never the path, which may contain a key. */
  name: string;
  chainId: number | null;
  head: { number: bigint; ageMs: number } | null;
  /** How much of the past it has. */
  history: "blocks and state" | "blocks" | "recent" | null;
  /** Whether it gives the receipts of a block at once. */
  receipts: "by block" | "one by one" | null;
  traces: "debug" | "parity" | "none" | null;
  /** Whether it announces heads; null: it is no websocket. */
  announcesHeads: boolean | null;
  /** Whether it takes several questions in one request; null: over a websocket there is no need. */
  takesBatches: boolean | null;
  rate: EndpointRate | null;
  /** What is wrong with it, as sentences. */
  faults: readonly string[];
};
