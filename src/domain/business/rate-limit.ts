/** A token bucket. It gains `perSecond` tokens a second, and holds at most `burst`. */
export type RateLimit = { perSecond: number; burst: number };

/** The rate limit of a business by default (docs/contract.md#limits). */
export const defaultRateLimit: RateLimit = { perSecond: 100, burst: 200 };

/**
 * The answer of a bucket. `granted`: how many of the wanted tokens it gave. `waitMs`: the time
 * until the next token, in ms.
 */
export type TokensTaken = { granted: number; waitMs: number };

/**
 * Limits of work that costs more than a request, for each business. They apply in addition to the
 * limit of requests, over all keys and sessions.
 */
export const workLimits = {
  /** Requests that change something. Each leaves an entry in the audit trail for ever. */
  change: { perSecond: 10, burst: 100 },
  search: { perSecond: 10, burst: 20 },
  /** New sessions of the console. This limit also applies to each operator. */
  sign_in: { perSecond: 1, burst: 20 },
} as const satisfies Record<string, RateLimit>;

export type WorkLimits = Record<keyof typeof workLimits, RateLimit>;

/** The most of something that one business may have at a time. */
export const mostOfBusiness = {
  /** API keys that were not revoked and have not expired. */
  keys: 100,
  /** Open sessions of the console. A further one ends the session that was unused for longest. */
  sessions: 100,
  /**
   * Open event streams of the console, and open or waiting requests of the feed. Counted in each
   * process.
   */
  streams: 100,
  /** Exports of a whole list that are under way. Counted in each process. */
  exports: 4,
  /** Statements that are being made. Counted in each process. */
  statements: 2,
  /** Stored statements. With so many no further one is made, and none is deleted to make room. */
  storedStatements: 10_000,
  /** Entries in all of its stored statements together. A million take about 100 MB on the disk. */
  storedEntries: 100_000_000,
} as const;

/**
 * The limit of wrong credentials for each IP address: enough for a person's mistakes, and useless
 * for guessing.
 */
export const failedCredentialLimit: RateLimit = { perSecond: 1, burst: 20 };
