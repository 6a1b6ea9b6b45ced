/**
 * - `refused`: Chainbell refuses the request: the key, its scope or an option is wrong. It would
 *   refuse it again.
 * - `expired`: retention has removed notifications that you have not had, and there is no `onGap`.
 * - `unavailable`: Chainbell cannot answer now.
 * - `broken_page`: the answer is not whole, or not in order. It was not handed to the store.
 */
export type FeedFaultCode = "refused" | "expired" | "unavailable" | "broken_page";

/** The error of a consumer of the feed. `message` says what to do. It holds no key. */
export class FeedFault extends Error {
  override readonly name = "FeedFault";
  readonly code: FeedFaultCode;
  /** Of the answer; null: there was none. */
  readonly status: number | null;
  /** The ms that Chainbell asks to wait; null: it does not say. */
  readonly retryAfterMs: number | null;

  constructor(
    code: FeedFaultCode,
    message: string,
    facts: { status?: number; retryAfterMs?: number | null; cause?: unknown } = {},
  ) {
    super(message, { cause: facts.cause });
    this.code = code;
    this.status = facts.status ?? null;
    this.retryAfterMs = facts.retryAfterMs ?? null;
  }
}
