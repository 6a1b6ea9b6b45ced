/** A notification that a receiver has handled, and its place in the stream of its blockchain. */
export type HandledPlace = {
  id: string;
  blockchain: string;
  sequence: number;
  /** The notification that was written for this webhook before it. Null: nobody looks for one. */
  previousId: string | null;
};

/** A handled notification whose previous one was not handled. */
export type Hole = {
  before: HandledPlace;
  /** The handled notification of that blockchain with the highest sequence below `before`. */
  after: Pick<HandledPlace, "id" | "sequence">;
};

/**
 * Keeps which notifications a receiver has handled. An example is in examples/:
 * note-in-postgres.mjs. Keep each row for as long as Chainbell retries, three days by default.
 */
export type HandledStore = {
  /** Notes a handled notification. A later note of the same id takes its place. */
  note(place: HandledPlace): Promise<void>;
  /** Those of the ids that are noted, in any order. */
  noted(ids: readonly string[]): Promise<readonly string[]>;
  /**
   * The holes that are older than `graceMs`, the lowest sequence of each blockchain first. Below
   * the lowest sequence that was noted there is no hole: the receiver began there.
   */
  holes(graceMs: number): Promise<readonly Hole[]>;
};
