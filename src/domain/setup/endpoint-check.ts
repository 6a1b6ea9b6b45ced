/** The endpoint's behaviour with several requests at once. */
export type EndpointRate =
  | { kind: "kept up"; perSecond: number }
  /**
   * After this many answers the endpoint refused, mostly because it allows fewer requests.
   * `reason`: its own words.
   */
  | { kind: "refused"; after: number; reason: string };

/**
 * The findings about an endpoint of a chain. Null: not found out, because an earlier step failed.
 */
export type EndpointCheck = {
  /** A name for people: the host, never the path, which may contain a key. */
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
  /** True if it accepts several calls in one request; null: a websocket needs no batches. */
  takesBatches: boolean | null;
  rate: EndpointRate | null;
  /** The faults of the endpoint, as sentences. */
  faults: readonly string[];
};
