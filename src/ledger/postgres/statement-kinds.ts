/**
 * The longest that one statement of each kind of work may take, in ms. PostgreSQL itself ends a
 * statement that takes longer, so nothing goes on working for a caller that has given up. See
 * docs/how-to/scale-out.md#how-long-statements-may-take.
 */
export const longestMs = {
  /** A search, whose text may match anything. */
  search: 2_000,
  /** A request of the API, whether it reads or changes. */
  request: 30_000,
  /** Blocks, openings, claims and deliveries; and what belongs to no role. */
  money: 60_000,
  /** An operator's work on a whole ledger, chain or configuration. */
  maintenance: 3_600_000,
} as const;

export type StatementKind = keyof typeof longestMs;

/**
 * The driver waits longer than PostgreSQL works, by this many ms: it hears how the statement ended.
 * A silent connection is noticed before: see connection/silence.ts.
 */
const graceMs = 15_000;

/** The longest that the driver waits for an answer to a statement of this kind, in ms. */
export const answerMs = (kind: StatementKind): number => longestMs[kind] + graceMs;
