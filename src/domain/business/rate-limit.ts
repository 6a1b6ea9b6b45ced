/**
 * The token bucket of a business. It is filled at `perSecond` tokens a second and holds at most
 * `burst`.
 */
export type RateLimit = { perSecond: number; burst: number };

/** The rate limit of a business by default (docs/contract.md#limits). */
export const defaultRateLimit: RateLimit = { perSecond: 100, burst: 200 };

/**
 * The answer of a bucket. `granted`: how many of the wanted tokens it gave. `waitMs`: the time
 * until there is one more, in ms.
 */
export type TokensTaken = { granted: number; waitMs: number };

/**
 * The limits of kinds of work that cost more than a request, for each business. They count beside
 * the limit of requests, whichever keys and sessions are used.
 */
export const workLimits = {
  /** Requests that change something: each leaves an entry in the audit trail for ever. */
  change: { perSecond: 10, burst: 100 },
  search: { perSecond: 10, burst: 20 },
  /** Sessions of the console that begin; of each operator, too. */
  sign_in: { perSecond: 1, burst: 20 },
} as const satisfies Record<string, RateLimit>;

export type WorkLimits = Record<keyof typeof workLimits, RateLimit>;

/** The most of something that one business may have at a time. */
export const mostOfBusiness = {
  /** API keys that were not revoked and have not expired. */
  keys: 100,
  /** Open sessions of the console. One more ends the one that was not used for longest. */
  sessions: 100,
  /** In one process: open streams of the console's events and of the feed, and waiting requests. */
  streams: 100,
  /** In one process: exports of a whole list that are under way. */
  exports: 4,
  /** In one process: statements that are being made. */
  statements: 2,
  /** Statements that are stored. No more is made then, and none is forgotten for another one. */
  storedStatements: 10_000,
} as const;

/**
 * The limit of wrong credentials, for each address. It is enough for a person's mistakes, and
 * useless for guessing.
 */
export const failedCredentialLimit: RateLimit = { perSecond: 1, burst: 20 };
