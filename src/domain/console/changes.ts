/**
 * Marks up to which changes are known. All later ones are new. `newest`: for each business, its
 * newest transaction and its pending ones. `sightings`: the newest of all businesses, with their
 * states. `sighted`: the same for each business.
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

/** The changes since some marks. They are only a hint, and a page reads the details itself. */
export type Changes = {
  marks: ChangeMarks;
  /** Businesses whose balances or transactions have changed. */
  moved: ReadonlySet<string>;
  /** The businesses with an open page whose newest sightings have changed. */
  sighted: ReadonlySet<string>;
  /** True if the newest sightings of all businesses together have changed. */
  haveSightingsChanged: boolean;
  /** Businesses with a new delivery attempt. */
  attempted: ReadonlySet<string>;
  /**
   * The new actions in the audit trail, each with its business; null: it is about no single
   * business.
   */
  audited: readonly { businessId: string | null; action: string }[];
  /** Businesses with pending transactions. */
  waiting: ReadonlySet<string>;
  haveChainsMoved: boolean;
  haveDiscrepanciesChanged: boolean;
};

/**
 * Reads the changes.
 * @param asked.since null: from now on, so the answer has marks and no changes
 */
export type ReadChanges = (asked: {
  since: ChangeMarks | null;
  /** The businesses whose pages are open. */
  businessIds: readonly string[];
}) => Promise<Changes>;
