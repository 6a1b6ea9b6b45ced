/**
 * The token bucket of an API key. It is filled at `perSecond` tokens a second and holds at most
 * `burst`.
 */
export type RateLimit = { perSecond: number; burst: number };

/** The rate limit of a key by default (docs/contract.md#authentication). */
export const defaultRateLimit: RateLimit = { perSecond: 100, burst: 200 };

/**
 * The answer of a bucket. `granted`: how many of the wanted tokens it gave. `waitMs`: the time
 * until there is one more, in ms.
 */
export type TokensTaken = { granted: number; waitMs: number };

/**
 * The limit of wrong credentials, for each address. It is enough for a person's mistakes, and
 * useless for guessing.
 */
export const failedCredentialLimit: RateLimit = { perSecond: 1, burst: 20 };
