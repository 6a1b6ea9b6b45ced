/** Why a request is not believed, or cannot be judged. */
export type RefusalCode =
  /** The secret is neither `whsec_` and the base64 of at least 24 bytes nor `whpk_` and a public key. The receiver's own mistake. */
  | "weak_secret"
  /** An option is not a number that makes sense. The receiver's own mistake. */
  | "malformed_option"
  | "missing_header"
  | "malformed_header"
  | "wrong_signature"
  | "timestamp_too_old"
  | "timestamp_too_new"
  /** Genuine, but not the JSON of a notification. */
  | "malformed_body";

/** Thrown by `verify`. `message` says what to do; neither it nor anything else holds a secret or a signature. */
export class RefusedWebhook extends Error {
  override readonly name = "RefusedWebhook";
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}
