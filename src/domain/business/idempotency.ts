/**
 * A request with an Idempotency-Key (draft-ietf-httpapi-idempotency-key-header). If the request is
 * sent again with its key, Chainbell repeats the first answer and carries nothing out.
 */
export type KeyedRequest = {
  /** The owner of the key: a business's id, or an operator. */
  owner: string;
  key: string;
  /** The hash of method, path and body. */
  requestHash: string;
};

/**
 * The right to carry a request out. If another process takes the right over, it has another
 * `claim`.
 */
export type Claim = { owner: string; key: string; claim: string };

/**
 * The state of a request. `in_use`: it is being carried out. `other_request`: the key was used for
 * another request. `answer_lost`: a process carried it out and ended before it answered.
 */
export type KeyedOutcome =
  | { kind: "claimed"; claim: Claim }
  | { kind: "answered"; status: number; answerCiphertext: string }
  | { kind: "in_use" }
  | { kind: "other_request" }
  | { kind: "answer_lost" };

export type IdempotencyLedger = {
  claimRequest: (request: KeyedRequest) => Promise<KeyedOutcome>;
  /** Safe to repeat. */
  keepAnswer: (claim: Claim, answer: { status: number; answerCiphertext: string }) => Promise<void>;
  /**
   * Gives up the claim of a request that came to nothing, so that it may be sent again. Its effects
   * stay.
   */
  releaseRequest: (claim: Claim) => Promise<void>;
};

/**
 * The name that a kept answer is encrypted for. Nothing else that is encrypted for this owner can
 * then stand in its place.
 */
export function answerBoundTo(owner: string): string {
  return `answer to ${owner}`;
}
