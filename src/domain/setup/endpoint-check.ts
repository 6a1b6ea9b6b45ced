/** The endpoint's behaviour when it gets several requests at once. */
export type EndpointRate =
  | { kind: "kept up"; perSecond: number }
  /**
   * After this many answers the endpoint refused, mostly because it allows fewer. `reason` is in
   * its own words.
   */
  | { kind: "refused"; after: number; reason: string };

/**
 * The findings about an endpoint of a chain. Null: it was not found out, because something before
 * it failed.
 */
export type EndpointCheck = {
  /** For people: the host, never the path, which may contain a key. */
  name: string;
  chainId: number | null;
  head: { number: bigint; ageMs: number } | null;
  /** The part of the past that the endpoint has. */
  history: "blocks and state" | "blocks" | "recent" | null;
  /** The way in which it gives the receipts of a block. */
  receipts: "by block" | "one by one" | null;
  traces: "debug" | "parity" | "none" | null;
  /** True if it announces heads; null: it is no websocket. */
  announcesHeads: boolean | null;
  /** True if it takes several questions in one request; null: over a websocket there is no need. */
  takesBatches: boolean | null;
  rate: EndpointRate | null;
  /** The faults of the endpoint, as sentences. */
  faults: readonly string[];
};
