/**
 * The longest that one statement may take, by the kind of work, in ms. PostgreSQL itself ends a
 * slower statement, so it does not work on for a caller that has given up. See
 * docs/how-to/scale-out.md#how-long-statements-may-take.
 */
export const longestMs = {
  /** A search, whose text may match anything. */
  search: 2_000,
  /** A request of the API, reading or changing. */
  request: 30_000,
  /** Blocks, openings, claims and deliveries, and work of no particular kind. */
  money: 60_000,
  /** An operator's work on a whole ledger, chain or configuration. */
  maintenance: 3_600_000,
} as const;

export type StatementKind = keyof typeof longestMs;

/**
 * The driver waits this many ms longer than PostgreSQL works, so that it learns how the statement
 * ended. A dead connection is noticed earlier: see connection/silence.ts.
 */
const graceMs = 15_000;

/** The longest that the driver waits for an answer to a statement of this kind, in ms. */
export const answerMs = (kind: StatementKind): number => longestMs[kind] + graceMs;

/**
 * PostgreSQL ends a transaction that gets no statement for this long, in ms. Its process is cut off
 * or stands still. Otherwise its locks would last until the operating system misses the connection,
 * by default for two hours. Nobody else could claim, or write a block.
 */
export const longestPauseMs = 30_000;
