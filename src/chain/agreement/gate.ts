import type { Hash, Position } from "../../domain/chain/block.ts";
import type { ConfirmationTag, Hold } from "../../domain/chain/confirmation.ts";
import type {
  AgreedHeight,
  AgreementGate,
  Ballot,
  BlockQuestion,
  Decision,
  HeightQuestion,
} from "../../domain/watch/agreement-gate.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";
import type { Wait } from "../../domain/watch/patience.ts";
import type { VoteQuestion, Voters } from "./collect-votes.ts";
import { countVotes, highestOf, type Tally } from "./count-votes.ts";
import type { Holds } from "./holds.ts";

type Ports = { chain: Voters & Pick<ChainSource, "isAlone">; holds: Holds };

/** More than any chain has. */
const everyHost = Number.POSITIVE_INFINITY;

/**
 * Makes the gate of one chain. See AgreementGate.
 * @param count the number of hosts that must agree, the leading endpoint's included
 */
export function createAgreementGate({ chain, holds }: Ports, count: number): AgreementGate {
  const gate: Gate = { chain, holds, count };
  return {
    askOthers: (number, tag) => ask(gate, { number, tag, isLeaderAsked: false }),

    agreedUpTo: (of) => agreedUpTo(gate, of),

    isThere: (asked) =>
      decide(gate, asked, ({ agreed, dispute }) => ({
        isSo: agreed === asked.block.number,
        isContradicted: dispute !== null,
      })),

    isGone: (asked) => isGone(gate, asked),

    hasLeft: (block) => hasLeft(gate, block),

    isSaidByOthers: (block) => isSaidByOthers(gate, block),

    async isThisChain(hash) {
      const said = await isSaidByOthers(gate, { number: 0n, hash });
      if (said === "alone" || said === "agreed") return true;
      const waiting = said === "disputed" ? [] : [{ subject: `the chain of ${hash}`, silent: [] }];
      const hold = { what: "confirmation", why: said, number: 0n } as const;
      return holds.wait(hold, waiting).size > 0;
    },

    waitFor(what, { silent, disputed, refused = [] }) {
      const number = disputed[0] ?? refused[0] ?? silent[0]?.number;
      if (number === undefined) {
        holds.end(what);
        return new Set();
      }
      const why = disputed.length > 0 ? "disputed" : refused.length > 0 ? "refused" : "silent";
      return holds.wait({ what, why, number, isAlone: chain.isAlone() }, silent);
    },

    end: (what) => holds.end(what),

    forget: holds.forget,

    held: () => holds.longest(),
  };
}

type Gate = Ports & { count: number };

async function agreedUpTo(gate: Gate, of: HeightQuestion): Promise<AgreedHeight> {
  const { number, tag, hashAt } = of;
  const { holds } = gate;
  // A host that gave the block but not the tag has given half a vote. The other half must not come
  // from another host, so such a host is asked again.
  const said = tag === null || of.tagSaidBy === of.readFrom ? of.readFrom : null;
  const early = isIndependentOf(of.ballot, said) ? of.ballot : null;
  const isLeaderAsked = early === null && said !== gate.chain.leadingHost();
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

async function isGone(gate: Gate, asked: BlockQuestion): Promise<Decision> {
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
  { what, block }: BlockQuestion,
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
  { chain, count }: Gate,
  question: Omit<VoteQuestion, "enough"> & { enough?: number },
): Promise<Ballot> {
  const enough = question.enough ?? (question.isLeaderAsked ? count : count - 1);
  return chain.witness({ ...question, enough });
}
