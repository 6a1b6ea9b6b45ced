/** The reason why a request is refused, or cannot be checked. */
export type RefusalCode =
  /**
   * The secret is neither `whsec_` with the base64 of at least 24 bytes, nor `whpk_` with a public
   * key. The mistake is the receiver's own.
   */
  | "weak_secret"
  /** An option is not a number from 0. The mistake is the receiver's own. */
  | "malformed_option"
  | "missing_header"
  | "malformed_header"
  | "wrong_signature"
  | "timestamp_too_old"
  | "timestamp_too_new"
  /** The body is genuine, but it is not the JSON of a notification. */
  | "malformed_body";

/**
 * The error that `verify` throws. `message` says what to do. The error contains no secret and no
 * signature.
 */
export class RefusedWebhook extends Error {
  override readonly name = "RefusedWebhook";
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}
