/**
 * Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): a request that is sent again with its key is carried out once, and
 * answered as it was the first time.
 */
export type KeyedRequest = {
  /** Whose key it is: a business's id, or an operator. */
  owner: string;
  key: string;
  /** Of method, path and body. */
  requestHash: string;
};

/** The right to carry a request out. Whoever takes it over has another `claim`. */
export type Claim = { owner: string; key: string; claim: string };

/**
 * What is known of a request. `in_use`: it is being carried out. `other_request`: the key was used for something else. `answer_lost`:
 * it was carried out by a process that ended before it answered.
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
  /** Of a request that came to nothing: it may be sent again. What it has done stays done. */
  releaseRequest: (claim: Claim) => Promise<void>;
};

/** What a kept answer is encrypted for, so that nothing else that is encrypted for this owner can stand in its place. */
export function answerBoundTo(owner: string): string {
  return `answer to ${owner}`;
}
