/**
 * The marks up to which changes have been seen. Everything beyond them is new. `newest`: for each
 * business, its newest transaction and its pending transactions. `sightings`: the newest ones of
 * all businesses and their states. `sighted`: the same for each business.
 */
export type ChangeMarks = Record<"entry" | "attempt", bigint> & {
  /** The newest entry of the audit trail; null: there is none. */
  audit: string | null;
  chains: string;
  discrepancies: string;
  sightings: string;
  newest: ReadonlyMap<string, string>;
  sighted: ReadonlyMap<string, string>;
};

/** The changes since some marks. They are a hint: a reader who wants to know more asks. */
export type Changes = {
  marks: ChangeMarks;
  /** Businesses whose balances or transactions have changed. */
  moved: ReadonlySet<string>;
  /** Of the businesses whose pages are open, those whose newest sightings have changed. */
  sighted: ReadonlySet<string>;
  /** True if the newest sightings of all businesses together have changed. */
  haveSightingsChanged: boolean;
  /** Businesses with a further attempt to deliver. */
  attempted: ReadonlySet<string>;
  /**
   * The actions that went on record, each with its business; null: the action is about no single
   * business.
   */
  audited: readonly { businessId: string | null; action: string }[];
  /** Businesses with something that is not confirmed yet. */
  waiting: ReadonlySet<string>;
  haveChainsMoved: boolean;
  haveDiscrepanciesChanged: boolean;
};

/**
 * Reads the changes.
 * @param asked.since null: from now on, so nothing has changed
 */
export type ReadChanges = (asked: {
  since: ChangeMarks | null;
  /** The businesses whose pages are open. */
  businessIds: readonly string[];
}) => Promise<Changes>;
