/**
 * The blocks that a chain's own consensus calls safe or final, by the names JSON-RPC gives them.
 */
export const confirmationTags = ["safe", "finalized"] as const;

export type ConfirmationTag = (typeof confirmationTags)[number];

/**
 * The rule by which a block counts as confirmed. `depth`: the block is that many blocks deep,
 * itself included, so 1 is the block at the position. `tag`: the block is at or below the block
 * that the chain calls so. `age`: the block is that much older than the position's block, by the
 * times of the blocks. However fast blocks come, an age leaves the chain the same time to change
 * its mind.
 */
export type ConfirmationPolicy =
  | { kind: "depth"; depth: number }
  | { kind: "tag"; tag: ConfirmationTag }
  | { kind: "age"; ageMs: number };

/**
 * The confirmed height for a position. For a depth, confirmations = position - block + 1. Else the
 * height is `named`, but never above the position. `named` is the height of the tag, or of the
 * highest block that is old enough; null: there is none yet. If the result is below zero, nothing
 * is confirmed.
 */
export function confirmedHeight(
  position: bigint,
  policy: ConfirmationPolicy,
  named: bigint | null,
): bigint {
  if (policy.kind === "depth") return position - BigInt(policy.depth) + 1n;
  if (named === null) return -1n;
  return named < position ? named : position;
}
/** The consequences if the other endpoints have been silent for longer than `patienceMs`. */
export const witnessModes = {
  prefer: { description: "go on without them, and mark what was confirmed so" },
  required: { description: "hold on until they answer" },
} as const;

type WitnessMode = keyof typeof witnessModes;

/**
 * The rule for the agreement of further endpoints, for a chain that has endpoints of several hosts.
 */
export type WitnessPolicy = {
  /**
   * The time to wait for endpoints that say nothing, in ms. An endpoint that contradicts is never
   * passed over.
   */
  patienceMs: number;
  mode: WitnessMode;
  /**
   * The number of endpoints of different hosts that must say the same. It includes the endpoint
   * that blocks are read from.
   */
  count: number;
};

/** The usual policy. Its patience is longer than restarts and short outages of a provider. */
export const usualWitness: WitnessPolicy = { patienceMs: 600_000, mode: "prefer", count: 2 };

/** The things that may have to wait for further endpoints. */
export const heldThings = {
  confirmation: { description: "nothing new is confirmed" },
  reorg: { description: "a reorganisation is not undone" },
  balance: {
    description: "coin that moved is not confirmed: one endpoint alone says the balances",
  },
  trace: {
    description: "coin that a contract paid is not confirmed: one endpoint alone says who paid it",
  },
  state: {
    description:
      "coin that a contract paid is not confirmed: no endpoint has the balances of its block",
  },
  history: { description: "a wallet's history is not filled in, for one of these reasons" },
  opening: { description: "what wallets began with is not recorded, for the same reason" },
  settlement: { description: "what a reorganisation has taken away is not reversed yet" },
} as const;

/** The reasons for which it waits. */
export const heldReasons = ["silent", "disputed", "refused", "not_final"] as const;

/** Something that waits for further endpoints. */
export type Hold = {
  what: keyof typeof heldThings;
  /**
   * `silent`: too few endpoints answer, or those that answer are behind. `disputed`: another
   * endpoint has another block, or shows something else. `refused`: an endpoint that has traced
   * before refuses to show its traces, or a token's contract fails when asked for a balance.
   * `not_final`: another endpoint does not call that block `safe` or `finalized` yet. Only `silent`
   * is passed over.
   */
  why: (typeof heldReasons)[number];
  /** The height that the hold is about. */
  number: bigint;
  sinceMs: number;
  /** The number of times that further endpoints have been asked since then. */
  times: number;
};
