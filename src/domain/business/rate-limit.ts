/** A token bucket of each API key: filled at `perSecond`, holding at most `burst`. */
export type RateLimit = { perSecond: number; burst: number };

/** docs/contract.md#authentication. */
export const defaultRateLimit: RateLimit = { perSecond: 100, burst: 200 };

/** What a bucket gave: `granted` of the tokens asked for; `waitMs` until there is one more. */
export type TokensTaken = { granted: number; waitMs: number };

/** Of wrong credentials, for each address: what a person's mistakes need, and nothing that guessing gains by. */
export const failedCredentialLimit: RateLimit = { perSecond: 1, burst: 20 };
