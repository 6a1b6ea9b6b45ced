/** How far changes have been seen: what is beyond it is new. `newest`: of each business its newest transaction and what is pending. */
export type ChangeMarks = Record<"entry" | "attempt" | "audit", bigint> & {
  chains: string;
  discrepancies: string;
  newest: ReadonlyMap<string, string>;
};

/** What has changed since some marks. A hint: whoever wants to know more asks. */
export type Changes = {
  marks: ChangeMarks;
  /** Businesses whose balances or transactions have. */
  moved: ReadonlySet<string>;
  /** Businesses with a further attempt to deliver. */
  attempted: ReadonlySet<string>;
  /** What went on record, and about which business; null: about no single one. */
  audited: readonly { businessId: string | null; action: string }[];
  /** Businesses with something that is not confirmed yet. */
  waiting: ReadonlySet<string>;
  haveChainsMoved: boolean;
  haveDiscrepanciesChanged: boolean;
};

/** @param asked.since null: from now on, nothing has changed */
export type ReadChanges = (asked: {
  since: ChangeMarks | null;
  /** Those whose pages are open. */
  businessIds: readonly string[];
}) => Promise<Changes>;
