/** The processes that work, by their reports of the last seconds. */
export type Liveness = {
  /** The names of the chains that a process watches. */
  watched: readonly string[];
  /** The names of the chains with wallets, which must be watched. */
  withWallets: readonly string[];
  /** The number of processes that send. */
  dispatchers: number;
  /**
   * The number of relays. Null: no relay has ever reported here. Those of version 0.1 do not
   * report.
   */
  relays: number | null;
  /** The number of relays that cannot reach the queue. */
  withoutQueue: number;
  /** The slowest claim of all relays in the last seconds, in ms. */
  claimMs: number;
};
