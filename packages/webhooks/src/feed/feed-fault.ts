/**
 * - `refused`: Chainbell refuses the request, because the key, its scope or an option is wrong. A
 *   retry would be refused too.
 * - `expired`: retention has deleted notifications that you never got, and there is no `onGap`.
 * - `unavailable`: Chainbell cannot answer now.
 * - `broken_page`: the answer is incomplete, or not in order. The store did not get it.
 */
export type FeedFaultCode = "refused" | "expired" | "unavailable" | "broken_page";

/** The error of a consumer of the feed. `message` says what to do. It never contains the key. */
export class FeedFault extends Error {
  override readonly name = "FeedFault";
  readonly code: FeedFaultCode;
  /** The HTTP status of the answer. Null: there was none. */
  readonly status: number | null;
  /** The time that Chainbell asks to wait, in ms. Null: it does not say. */
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
