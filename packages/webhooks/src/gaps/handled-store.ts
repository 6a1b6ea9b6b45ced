/** A handled notification, and its place in the stream of its blockchain. */
export type HandledPlace = {
  id: string;
  blockchain: string;
  sequence: number;
  /** The notification that Chainbell wrote for this webhook before it. Null: none is looked for. */
  previousId: string | null;
};

/** A handled notification whose previous one was not handled. */
export type Hole = {
  before: HandledPlace;
  /** The handled notification of that blockchain with the highest sequence below `before`. */
  after: Pick<HandledPlace, "id" | "sequence">;
};

/**
 * Stores which notifications a receiver has handled. An example is in examples/:
 * note-in-postgres.mjs. Keep each row for as long as Chainbell retries, three days by default. Once
 * the previous one of a row is noted, nothing is looked for: forget `previousId` then. So a deleted
 * row leaves no hole.
 */
export type HandledStore = {
  /** Notes a handled notification. A later note of the same id replaces it. */
  note(place: HandledPlace): Promise<void>;
  /** The noted ones of these ids, in any order. */
  noted(ids: readonly string[]): Promise<readonly string[]>;
  /**
   * The holes older than `graceMs`, the lowest sequence of each blockchain first. Nothing below the
   * lowest noted sequence is a hole: the receiver began there.
   */
  holes(graceMs: number): Promise<readonly Hole[]>;
};
