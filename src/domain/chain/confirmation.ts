/**
 * The blocks that a chain's own consensus calls safe or final, by the names JSON-RPC gives them.
 */
export const confirmationTags = ["safe", "finalized"] as const;

export type ConfirmationTag = (typeof confirmationTags)[number];

/**
 * When a block counts as confirmed. `depth`: it is that many blocks deep, itself included, so 1 is
 * the block at the position. `tag`: it is at or below the block that the chain names so. `age`: its
 * time is that much before the time of the position's block. However fast blocks come, an age gives
 * the chain the same time for a reorg.
 */
export type ConfirmationPolicy =
  | { kind: "depth"; depth: number }
  | { kind: "tag"; tag: ConfirmationTag }
  | { kind: "age"; ageMs: number };

/**
 * The confirmed height for a position. With a depth it is position - depth + 1. Otherwise it is
 * `named`, at most the position. `named` is the height of the tag, or of the highest block that is
 * old enough; null: there is none yet. Below zero nothing is confirmed.
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
/** The behaviour if the other endpoints do not answer for longer than `patienceMs`. */
export const witnessModes = {
  prefer: { description: "go on without them, and mark what was confirmed so" },
  required: { description: "hold on until they answer" },
} as const;

type WitnessMode = keyof typeof witnessModes;

/** The agreement of further endpoints, on a chain with endpoints of several hosts. */
export type WitnessPolicy = {
  /** The time to wait for endpoints that do not answer, in ms. A contradiction is never skipped. */
  patienceMs: number;
  mode: WitnessMode;
  /** The number of hosts that must agree, the host included from which blocks are read. */
  count: number;
};

/** The usual policy. Its patience is longer than restarts and short outages of a provider. */
export const usualWitness: WitnessPolicy = { patienceMs: 600_000, mode: "prefer", count: 2 };

/**
 * The matters that may have to wait for further endpoints. `isOfThePast`: no new money waits for
 * it, nor a balance of now, nor a reversal. It may last for ever.
 */
export const heldThings = {
  block: {
    description: "a block is not read: no root shows its movements, nor do enough hosts",
    isOfThePast: false,
  },
  confirmation: { description: "nothing new is confirmed", isOfThePast: false },
  reorg: { description: "a reorganisation is not undone", isOfThePast: false },
  balance: {
    description: "coin that moved is not confirmed: one endpoint alone says the balances",
    isOfThePast: false,
  },
  trace: {
    description: "coin that a contract paid is not confirmed: one endpoint alone says who paid it",
    isOfThePast: false,
  },
  state: {
    description:
      "coin that a contract paid is not confirmed: no endpoint has the balances of its block",
    isOfThePast: false,
  },
  history: {
    description:
      "a history is not filled in, for one of these reasons or for lack of old blocks or traces",
    isOfThePast: true,
  },
  opening: {
    description: "what wallets began with is not recorded, for one of these reasons",
    isOfThePast: false,
  },
  settlement: {
    description: "what a reorganisation has taken away is not reversed yet",
    isOfThePast: false,
  },
} as const;

const ofThePast: ReadonlySet<string> = new Set(
  Object.entries(heldThings).flatMap(([what, thing]) => (thing.isOfThePast ? what : [])),
);

/**
 * True if only the past waits for a held thing, and nothing of now. A report of a newer release may
 * name another thing. It counts as one of now.
 */
export const isOfThePast = ({ what }: { what: string }): boolean => ofThePast.has(what);

/** The reason why it waits. */
export const heldReasons = ["silent", "disputed", "refused", "not_final"] as const;

/** Something that waits for further endpoints. */
export type Hold = {
  what: keyof typeof heldThings;
  /**
   * `silent`: too few endpoints answer, or those that do are behind. `disputed`: another endpoint
   * has another block or shows something else. `refused`: an endpoint that has traced before
   * refuses its traces. Or further endpoints do not give the block, or a token's contract fails
   * when asked for a balance. Of a history: no endpoint gives its blocks or traces. `not_final`:
   * another endpoint does not call the block `safe` or `finalized` yet. Only `silent` is skipped
   * after a time.
   */
  why: (typeof heldReasons)[number];
  /** The height that the hold is about. */
  number: bigint;
  sinceMs: number;
  /** The number of times that further endpoints were asked since then. */
  times: number;
};
