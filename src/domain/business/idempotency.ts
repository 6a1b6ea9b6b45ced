/**
 * A request with an Idempotency-Key (draft-ietf-httpapi-idempotency-key-header). If it is repeated
 * with its key, Chainbell answers as the first time, and does nothing again.
 */
export type KeyedRequest = {
  /** The owner of the key: a business's id, or an operator. */
  owner: string;
  key: string;
  /** The hash of method, path and body. */
  requestHash: string;
};

/** The right to carry a request out. A process that takes it over gets another `claim`. */
export type Claim = { owner: string; key: string; claim: string };

/**
 * The state of a request. `in_use`: a process is carrying it out. `other_request`: the key was used
 * for another request. `answer_lost`: a process carried it out, and ended before it answered.
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
  /** Gives up the claim of a request that changed nothing, so that it may be repeated. */
  releaseRequest: (claim: Claim) => Promise<void>;
};

/**
 * The name to which an encrypted answer is bound. So no other encrypted text of this owner can
 * replace it.
 */
export function answerBoundTo(owner: string): string {
  return `answer to ${owner}`;
}
