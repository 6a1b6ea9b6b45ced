/** The processes that work, by what they have said in the database within seconds. */
export type Liveness = {
  /** The names of the chains that a process watches. */
  watched: readonly string[];
  /** The names of the chains with wallets, which somebody ought to watch. */
  withWallets: readonly string[];
  /** The number of processes that send. */
  dispatchers: number;
  /**
   * The number of processes that pass on due deliveries. Null: no process has ever reported itself
   * here, as those of version 0.1 do not.
   */
  relays: number | null;
  /** The number of those that cannot reach the queue. */
  withoutQueue: number;
  /** The slowest claim of due deliveries in the last seconds, of all relays, in ms. */
  claimMs: number;
};
