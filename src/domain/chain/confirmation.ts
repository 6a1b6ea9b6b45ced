/** The blocks that a chain's own consensus calls safe or final, by the names JSON-RPC gives them. */
export const confirmationTags = ["safe", "finalized"] as const;

export type ConfirmationTag = (typeof confirmationTags)[number];

/**
 * When a block counts as confirmed. `depth`: that many blocks deep, itself included, so 1 is the block at the position.
 * `tag`: at or below the block that the chain calls so. `age`: so much older than the position's block, by the times of the
 * blocks; however fast they come, that is the same time for the chain to change its mind.
 */
export type ConfirmationPolicy =
  | { kind: "depth"; depth: number }
  | { kind: "tag"; tag: ConfirmationTag }
  | { kind: "age"; ageMs: number };

/**
 * The confirmed height for a position: of a depth, confirmations = position - block + 1; else `named`, the height of the tag,
 * or of the highest block that is old enough (null where there is none yet), never above the position. May be below zero:
 * then nothing is confirmed.
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
/** What follows when the other endpoints have been silent for longer than they are waited for. */
export const witnessModes = {
  prefer: { description: "go on without them, and mark what was confirmed so" },
  required: { description: "hold on until they answer" },
} as const;

type WitnessMode = keyof typeof witnessModes;

/** How the word of further endpoints is needed, where a chain has endpoints of several hosts. */
export type WitnessPolicy = {
  /** How long, in ms, endpoints that say nothing are waited for. One that contradicts is never passed over. */
  patienceMs: number;
  mode: WitnessMode;
  /** So many endpoints of different hosts have to say the same, the one that blocks are read from included. */
  count: number;
};

/** Longer than restarts and short outages of a provider. */
export const usualWitness: WitnessPolicy = { patienceMs: 600_000, mode: "prefer", count: 2 };

/** What may have to wait for the word of further endpoints. */
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

/** Something that waits for the word of further endpoints. */
export type Hold = {
  what: keyof typeof heldThings;
  /**
   * `silent`: too few answer, or those that do are behind. `disputed`: another endpoint has another
   * block. `not_final`: it does not call that block `safe` or `finalized` yet.
   */
  why: "silent" | "disputed" | "not_final";
  /** The height that it is about. */
  number: bigint;
  sinceMs: number;
  /** How often it has been asked for since. */
  times: number;
};
