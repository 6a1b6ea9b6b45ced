import type { Hash, Position } from "../chain/block.ts";
import type { ConfirmationTag, Hold } from "../chain/confirmation.ts";
import type { Wait } from "./patience.ts";

/**
 * The result of a decision.
 * - `agreed`: enough endpoints say so, or the chain's only one.
 * - `passed`: the others have been silent for longer than Chainbell waits for them.
 * - `held`: not now.
 */
export type Decision = "agreed" | "passed" | "held";

/** The height up to which endpoints agree with the stored blocks. */
export type AgreedHeight =
  | { kind: "agreed"; number: bigint }
  /**
   * The claim of one endpoint counts, up to the asked height. The others have been silent for too
   * long, or there are none.
   */
  | { kind: "passed"; number: bigint }
  | { kind: "silent" }
  | { kind: "disputed"; number: bigint; stored: Hash; other: Hash };

/**
 * The block of a host at a height. If the endpoint is lower, `position` is its head, or its block
 * with the wanted tag. `isTagLower`: the endpoint has reached the height, but its tag is lower.
 */
export type Vote = { host: string; position: Position; isTagLower: boolean };

/**
 * The votes about a height, at most one from each host. `alone`: the chain has no other host.
 * `asked`: the votes of those that answered. `leaderThen`: the leader's host at that time.
 * `isWhole`: no further host can be asked.
 */
export type Ballot =
  | { kind: "alone" }
  | {
      kind: "asked";
      leaderThen: string;
      votes: Vote[];
      isWhole: boolean;
      otherChain: OtherChain | null;
    };

/**
 * An endpoint serves another chain with this chain's id. It is not known which of the two is right.
 * `stored`: the first block of the other endpoints. `other`: the first block of this endpoint.
 */
export type OtherChain = { number: 0n; stored: Hash; other: Hash };

/** A height that may be confirmed, and what is known of it before other endpoints are asked. */
export type HeightQuestion = {
  number: bigint;
  tag: ConfirmationTag | null;
  /** The host that named the block of the tag. Null: there is no tag. */
  tagSaidBy: string | null;
  /** The votes of other endpoints, if they were asked already. Null: they are asked now. */
  ballot: Ballot | null;
  /** The stored hash of a height. Null: none is stored. */
  hashAt: (number: bigint) => Promise<Hash | null>;
  /**
   * The host that the last of the blocks was just read from, which counts as its vote. Null: none.
   */
  readFrom: string | null;
};

/** A stored block, and what is to be decided about it. */
export type BlockQuestion = { what: Hold["what"]; block: Position };

/** The kinds of claims that one endpoint may make alone. */
export type SaidAlone = Extract<
  Hold["what"],
  "balance" | "opening" | "state" | "trace" | "history"
>;

/** Claims of one kind that have to wait, each with the height that it is about. */
export type Claims = {
  /** Claims that only one endpoint makes. */
  silent: readonly (Wait & { number: bigint })[];
  /** Heights at which hosts contradict each other. No patience lets these pass. */
  disputed: readonly bigint[];
  /**
   * Heights at which a host no longer shows what it showed before. No patience lets these pass
   * either.
   */
  refused?: readonly bigint[];
};

/**
 * Decides the questions of one chain that its endpoints have to agree on. These are what is
 * confirmed, what a reorg undoes and reverses, and which old block is read again. Each question is
 * safe to repeat. The gate remembers every question that has to wait, with its reason
 * (docs/invariants.md#i13).
 */
export type AgreementGate = {
  /**
   * Asks the other endpoints about a height, while the leading endpoint is asked for its block.
   * Give the answers to `agreedUpTo` afterwards.
   */
  askOthers: (number: bigint, tag: ConfirmationTag | null) => Promise<Ballot>;
  /** The height, at most `number`, up to which enough endpoints agree with the stored blocks. */
  agreedUpTo: (of: HeightQuestion) => Promise<AgreedHeight>;
  /** Decides whether enough endpoints have this stored block at its height. */
  isThere: (asked: BlockQuestion) => Promise<Decision>;
  /**
   * Decides whether a stored block has left the chain: enough endpoints have another one at its
   * height.
   */
  isGone: (asked: BlockQuestion) => Promise<Decision>;
  /** Answers the same at once, and starts no wait. False if the chain has only one host. */
  hasLeft: (block: Position) => Promise<boolean>;
  /** Asks endpoints about an old block without a stored hash. Remembers none of the answers. */
  isSaidByOthers: (block: Position) => Promise<"agreed" | "disputed" | "silent" | "alone">;
  /**
   * True if enough endpoints serve the chain with this first block, or the chain's only one does.
   * After the usual patience, silent endpoints no longer count. While it is false, no block of the
   * chain may be stored.
   */
  isThisChain: (hash: Hash) => Promise<boolean>;
  /**
   * Notes all claims of one kind that have to wait now. Subjects that are not among them no longer
   * wait.
   * @returns the subjects that have waited long enough; each has its own time
   */
  waitFor: (what: SaidAlone, claims: Claims) => ReadonlySet<string>;
  /** Notes that nothing of this kind waits: the chain goes on without a decision. */
  end: (what: "reorg" | "settlement") => void;
  /**
   * Forgets all that waits, for another process asks now. If this process asks again, each host's
   * time begins anew.
   */
  forget: () => void;
  /**
   * The hold that has lasted longest, of those that are disputed or last unusually long. That of
   * a history comes last. Null: there is none.
   */
  held: () => Hold | null;
};
