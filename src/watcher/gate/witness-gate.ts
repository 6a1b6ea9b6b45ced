import type { Hash, Position } from "../../domain/chain/block.ts";
import type { ConfirmationTag, Hold, WitnessPolicy } from "../../domain/chain/confirmation.ts";
import type { Ballot, ChainSource, VoteQuestion } from "../../domain/watch/chain-source.ts";
import type { Wait } from "../../domain/watch/patience.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import { countVotes, highestOf, type Tally } from "./count-votes.ts";
import { createHolds, type Holds } from "./holds.ts";

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

type Ports = {
  chain: Pick<ChainSource, "witness" | "leadingHost" | "isAlone">;
  clock: Clock;
  log: Logger;
};

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

/** A stored block, and what is to be decided about it. */
type Asked = { what: Hold["what"]; block: Position };

export type WitnessGate = ReturnType<typeof createWitnessGate>;

/** More than any chain has. */
const everyHost = Number.POSITIVE_INFINITY;

/**
 * Decides the questions of one chain that its endpoints have to agree on. These are what is
 * confirmed, what a reorg undoes and reverses, and which old block is read again. Each question is
 * safe to repeat. The gate remembers every question that has to wait, with its reason
 * (docs/invariants.md#i13).
 */
export function createWitnessGate(
  ports: Ports,
  options: { chainName: string; witness: WitnessPolicy },
) {
  const { chain, clock, log } = ports;
  const holds = createHolds({ clock, log, isAlone: () => chain.isAlone() }, options);
  const gate: Gate = { ports, holds, count: options.witness.count };
  return {
    /**
     * Asks the other endpoints about a height, while the leading endpoint is asked for its block.
     * Give the answers to `agreedUpTo` afterwards.
     */
    askOthers: (number: bigint, tag: ConfirmationTag | null): Promise<Ballot> =>
      ask(gate, { number, tag, isLeaderAsked: false }),

    /** The height, at most `number`, up to which enough endpoints agree with the stored blocks. */
    agreedUpTo: (of: Confirming): Promise<AgreedHeight> => agreedUpTo(gate, of),

    /** Decides whether enough endpoints have this stored block at its height. */
    isThere: (asked: Asked): Promise<Decision> =>
      decide(gate, asked, ({ agreed, dispute }) => ({
        isSo: agreed === asked.block.number,
        isContradicted: dispute !== null,
      })),

    /**
     * Decides whether a stored block has left the chain: enough endpoints have another one at its
     * height.
     */
    isGone: (asked: Asked): Promise<Decision> => isGone(gate, asked),

    /** Answers the same at once, and starts no wait. False if the chain has only one host. */
    hasLeft: (block: Position): Promise<boolean> => hasLeft(gate, block),

    /** Asks endpoints about an old block without a stored hash. Remembers none of the answers. */
    isSaidByOthers: (block: Position) => isSaidByOthers(gate, block),

    /**
     * True if enough endpoints serve the chain with this first block, or the chain's only one does.
     * After the usual patience, silent endpoints no longer count. While it is false, no block of
     * the chain may be stored.
     */
    isThisChain: async (hash: Hash): Promise<boolean> => {
      const said = await isSaidByOthers(gate, { number: 0n, hash });
      if (said === "alone" || said === "agreed") return true;
      const waiting = said === "disputed" ? [] : [{ subject: `the chain of ${hash}`, silent: [] }];
      const hold = { what: "confirmation", why: said, number: 0n } as const;
      return holds.wait(hold, waiting).size > 0;
    },

    /**
     * Notes all claims of one kind that have to wait now. Subjects that are not among them no
     * longer wait.
     * @returns the subjects that have waited long enough; each has its own time
     */
    waitFor: (what: SaidAlone, { silent, disputed, refused = [] }: Claims): ReadonlySet<string> => {
      const number = disputed[0] ?? refused[0] ?? silent[0]?.number;
      if (number === undefined) {
        holds.end(what);
        return new Set();
      }
      const why = disputed.length > 0 ? "disputed" : refused.length > 0 ? "refused" : "silent";
      return holds.wait({ what, why, number }, silent);
    },

    /**
     * The hold that has lasted longest, of those that are disputed or last unusually long. Null:
     * there is none.
     */
    held: (): Hold | null => holds.longest(),
  };
}

type Gate = { ports: Ports; holds: Holds; count: number };

type Confirming = {
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

async function agreedUpTo(gate: Gate, of: Confirming): Promise<AgreedHeight> {
  const { number, tag, hashAt } = of;
  const { holds } = gate;
  // A host that gave the block but not the tag has given half a vote. The other half must not come
  // from another host, so such a host is asked again.
  const said = tag === null || of.tagSaidBy === of.readFrom ? of.readFrom : null;
  const early = isIndependentOf(of.ballot, said) ? of.ballot : null;
  const isLeaderAsked = early === null && said !== gate.ports.chain.leadingHost();
  let ballot = early ?? (await ask(gate, { number, tag, isLeaderAsked }));
  if (ballot.kind === "alone") return saidByOnly(number, tag);
  const needed = isLeaderAsked ? gate.count : gate.count - 1;
  let tally = await countVotes(ballot, needed, hashAt);
  // Asks everyone again: an endpoint that was behind may have caught up, or was not asked yet.
  if (tally.agreed !== number && (early !== null || !ballot.isWhole)) {
    ballot = await ask(gate, { number, tag, isLeaderAsked: true, enough: everyHost });
    if (ballot.kind === "alone") return saidByOnly(number, tag);
    tally = await countVotes(ballot, gate.count, hashAt);
  }
  return judgeHeight(holds, { number, tally, highest: highestOf(ballot) });
}

/**
 * The height that a chain's only endpoint gives. The blocks themselves show a height that follows
 * from them. A tag calls a block final, which is only that endpoint's claim.
 */
function saidByOnly(number: bigint, tag: ConfirmationTag | null): AgreedHeight {
  return { kind: tag === null ? "agreed" : "passed", number };
}

function judgeHeight(
  holds: Holds,
  of: { number: bigint; tally: Tally; highest: bigint },
): AgreedHeight {
  const { number, highest } = of;
  const { agreed, dispute, isTagLower } = of.tally;
  if (agreed === number) {
    holds.end("confirmation");
    return { kind: "agreed", number };
  }
  const why = dispute !== null ? "disputed" : isTagLower ? "not_final" : "silent";
  const waiting = waitingAt(why, highest);
  if (holds.wait({ what: "confirmation", why, number }, waiting).size > 0)
    return { kind: "passed", number };
  if (agreed !== null) return { kind: "agreed", number: agreed };
  return dispute === null ? { kind: "silent" } : { kind: "disputed", ...dispute };
}

/**
 * True if the ballot asked other hosts than the one that the block then came from. Also true if the
 * chain has only one host.
 */
function isIndependentOf(ballot: Ballot | null, readFrom: string | null): boolean {
  return ballot?.kind === "alone" || (ballot !== null && ballot.leaderThen === readFrom);
}

async function isGone(gate: Gate, asked: Asked): Promise<Decision> {
  const { block } = asked;
  return decide(gate, asked, ({ isSupported }, votes) => ({
    isSo: isReplaced(gate, block, votes),
    isContradicted: isSupported(block.number),
  }));
}

async function hasLeft(gate: Gate, block: Position): Promise<boolean> {
  const question = { number: block.number, tag: null, isLeaderAsked: true, enough: everyHost };
  const ballot = await ask(gate, question);
  return ballot.kind === "asked" && isReplaced(gate, block, ballot.votes);
}

/** True if enough endpoints have another block at this height. */
function isReplaced({ count }: Gate, { number, hash }: Position, votes: Answered): boolean {
  const others = votes.filter(
    ({ position }) => position.number === number && position.hash !== hash,
  );
  return others.length >= count;
}

type Answered = Extract<Ballot, { kind: "asked" }>["votes"];

/** Asks every host, including the leading endpoint's, about one stored block. */
async function decide(
  gate: Gate,
  { what, block }: Asked,
  judge: (tally: Tally, votes: Answered) => { isSo: boolean; isContradicted: boolean },
): Promise<Decision> {
  const { number, hash } = block;
  const { holds, count } = gate;
  const ballot = await ask(gate, { number, tag: null, isLeaderAsked: true, enough: everyHost });
  if (ballot.kind === "alone") return "agreed";
  const hashAt = async (at: bigint) => (at === number ? hash : null);
  const tally = await countVotes(ballot, count, hashAt);
  const { isSo, isContradicted } = judge(tally, ballot.votes);
  if (isSo) {
    holds.end(what);
    return "agreed";
  }
  const why = isContradicted || ballot.otherChain !== null ? "disputed" : "silent";
  // Each block has its own patience.
  const waiting = waitingAt(why, highestOf(ballot), hash);
  return holds.wait({ what, why, number }, waiting).size > 0 ? "passed" : "held";
}

/**
 * The subject to wait for. It contains the highest block of the others: when they advance, they are
 * not silent, and the wait starts again. A dispute has no subject, since no wait resolves it.
 */
function waitingAt(why: Hold["why"], highest: bigint, block: Hash | null = null): Wait[] {
  const about = block === null ? "" : ` about ${block}`;
  return why === "disputed" ? [] : [{ subject: `${why} at ${highest}${about}`, silent: [] }];
}

async function isSaidByOthers(
  gate: Gate,
  { number, hash }: Position,
): Promise<"agreed" | "disputed" | "silent" | "alone"> {
  const ballot = await ask(gate, { number, tag: null, isLeaderAsked: true });
  if (ballot.kind === "alone") return "alone";
  const hashAt = async (at: bigint) => (at === number ? hash : null);
  const { agreed, dispute } = await countVotes(ballot, gate.count, hashAt);
  if (agreed === number) return "agreed";
  return dispute === null ? "silent" : "disputed";
}

function ask(
  { ports, count }: Gate,
  question: Omit<VoteQuestion, "enough"> & { enough?: number },
): Promise<Ballot> {
  const enough = question.enough ?? (question.isLeaderAsked ? count : count - 1);
  return ports.chain.witness({ ...question, enough });
}
