import type { Hash, Position } from "../../domain/chain/block.ts";
import type { ConfirmationTag, Hold, WitnessPolicy } from "../../domain/chain/confirmation.ts";
import type { ChainSource, Witness, WitnessQuestion } from "../../domain/watch/chain-source.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import { createHolds, type Holds } from "./holds.ts";
import { heardOf, type Weighed, weighWords } from "./weigh-words.ts";

/**
 * What was decided. `agreed`: by as many endpoints as it takes, or by the only one there is. `passed`: the others have
 * been silent for longer than they are waited for. `held`: not now.
 */
export type Decision = "agreed" | "passed" | "held";

/** Up to which height the stored blocks are agreed to. */
export type AgreedHeight =
  | { kind: "agreed"; number: bigint }
  /** One endpoint's word, up to the height that was asked for: the others have been silent for too long, or there is none. */
  | { kind: "passed"; number: bigint }
  | { kind: "silent" }
  | { kind: "disputed"; number: bigint; stored: Hash; other: Hash };

type Ports = {
  chain: Pick<ChainSource, "witness" | "leading">;
  clock: Clock;
  log: Logger;
};

/** What one endpoint may say alone. */
type SaidAlone = Extract<Hold["what"], "balance" | "opening" | "state" | "trace" | "history">;

/** How a stored block is to be looked at. */
type Asked = { what: Hold["what"]; block: Position };

export type WitnessGate = ReturnType<typeof createWitnessGate>;

/** More than any chain has. */
const everyone = 1_000;

/**
 * Decides, for one chain, what its endpoints have to say together: what is confirmed, what a reorganisation undoes and
 * reverses, which old block is read again. Each question is safe to repeat. What has to wait is kept with its reason
 * (docs/invariants.md#i13).
 */
export function createWitnessGate(
  ports: Ports,
  options: { chainName: string; witness: WitnessPolicy },
) {
  const holds = createHolds(ports, options);
  const gate: Gate = { ports, holds, count: options.witness.count };
  return {
    /**
     * What the others say of a height while the leading endpoint is asked for its block: to be judged afterwards, by
     * `agreedUpTo`.
     */
    askOthers: (number: bigint, tag: ConfirmationTag | null): Promise<Witness> =>
      ask(gate, { number, tag, isLeaderAsked: false }),

    /** Up to which height, at most `number`, stored blocks are agreed to by enough endpoints. */
    agreedUpTo: (of: Confirming): Promise<AgreedHeight> => agreedUpTo(gate, of),

    /** Whether a stored block is what enough endpoints have at its height. */
    isThere: (asked: Asked): Promise<Decision> =>
      decide(gate, asked, ({ agreed, dispute }) => ({
        isSo: agreed === asked.block.number,
        isContradicted: dispute !== null,
      })),

    /** Whether a stored block has left the chain: enough endpoints have another one at its height. */
    isGone: (asked: Asked): Promise<Decision> => isGone(gate, asked),

    /** The same without waiting for anybody, and nothing is kept of it; false where there is one endpoint only. */
    hasLeft: (block: Position): Promise<boolean> => hasLeft(gate, block),

    /** What endpoints say of a block of long ago, for which no hash is stored. Nothing is kept of that. */
    isSaidByOthers: (block: Position) => isSaidByOthers(gate, block),

    /** Notes that something of one endpoint's word alone has to wait. Answers whether it has waited for long enough. */
    hasWaited: (what: SaidAlone, number: bigint): boolean =>
      holds.wait({ what, why: "silent", number }, -1n),

    /** Notes that another endpoint contradicts: it is never passed over. */
    dispute: (what: SaidAlone, number: bigint): void =>
      void holds.wait({ what, why: "disputed", number }, -1n),

    /** It waits no longer. */
    release: (what: SaidAlone): void => holds.end(what),

    /** What has waited longest; null: nothing waits. */
    held: (): Hold | null => holds.longest(),
  };
}

type Gate = { ports: Ports; holds: Holds; count: number };

type Confirming = {
  number: bigint;
  tag: ConfirmationTag | null;
  /** The endpoint that named the block of the tag; null where there is no tag. */
  tagSaidBy: string | null;
  /** What the others have said already; null: they are asked now. */
  witness: Witness | null;
  /** The stored hash of a height, or null where none is stored. */
  hashAt: (number: bigint) => Promise<Hash | null>;
  /** The endpoint that the last of the blocks has just been read from: it has said its word. Null: nobody has. */
  readFrom: string | null;
};

async function agreedUpTo(gate: Gate, of: Confirming): Promise<AgreedHeight> {
  const { number, tag, hashAt } = of;
  const { holds } = gate;
  // Who has said the block but not the tag has said half of it: another one's tag must not have its own word beside it.
  const said = tag === null || of.tagSaidBy === of.readFrom ? of.readFrom : null;
  const early = isBeside(of.witness, said) ? of.witness : null;
  const isLeaderAsked = early === null && said !== gate.ports.chain.leading();
  let witness = early ?? (await ask(gate, { number, tag, isLeaderAsked }));
  if (witness.kind === "alone") return saidByOnly(number, tag);
  const needed = isLeaderAsked ? gate.count : gate.count - 1;
  let weighed = await weighWords(witness.words, needed, hashAt);
  // Who was behind may have caught up, and there may be others who were not asked.
  if (weighed.agreed !== number && (early !== null || !witness.isWhole)) {
    witness = await ask(gate, { number, tag, isLeaderAsked: true, enough: everyone });
    if (witness.kind === "alone") return saidByOnly(number, tag);
    weighed = await weighWords(witness.words, gate.count, hashAt);
  }
  return judgeHeight(holds, { number, weighed, heard: heardOf(witness) });
}

/** What follows from its blocks they show themselves; that the chain calls one final is the word of its only endpoint. */
function saidByOnly(number: bigint, tag: ConfirmationTag | null): AgreedHeight {
  return { kind: tag === null ? "agreed" : "passed", number };
}

function judgeHeight(
  holds: Holds,
  of: { number: bigint; weighed: Weighed; heard: bigint },
): AgreedHeight {
  const { number, heard } = of;
  const { agreed, dispute, isTagLower } = of.weighed;
  if (agreed === number) {
    holds.end("confirmation");
    return { kind: "agreed", number };
  }
  const why = dispute !== null ? "disputed" : isTagLower ? "not_final" : "silent";
  if (holds.wait({ what: "confirmation", why, number }, heard)) return { kind: "passed", number };
  if (agreed !== null) return { kind: "agreed", number: agreed };
  return dispute === null ? { kind: "silent" } : { kind: "disputed", ...dispute };
}

/** Whether the others were asked beside the endpoint that the block then came from. */
function isBeside(witness: Witness | null, readFrom: string | null): boolean {
  return witness?.kind === "alone" || (witness !== null && witness.beside === readFrom);
}

async function isGone(gate: Gate, asked: Asked): Promise<Decision> {
  const { block } = asked;
  return decide(gate, asked, ({ isSupported }, words) => ({
    isSo: isReplaced(gate, block, words),
    isContradicted: isSupported(block.number),
  }));
}

async function hasLeft(gate: Gate, block: Position): Promise<boolean> {
  const question = { number: block.number, tag: null, isLeaderAsked: true, enough: everyone };
  const witness = await ask(gate, question);
  return witness.kind === "asked" && isReplaced(gate, block, witness.words);
}

/** Whether enough endpoints have another block at its height. */
function isReplaced({ count }: Gate, { number, hash }: Position, words: Words): boolean {
  const others = words.filter(
    ({ position }) => position.number === number && position.hash !== hash,
  );
  return others.length >= count;
}

type Words = Extract<Witness, { kind: "asked" }>["words"];

/** Asks everyone, the leading endpoint as well, about one stored block. */
async function decide(
  gate: Gate,
  { what, block }: Asked,
  judge: (weighed: Weighed, words: Words) => { isSo: boolean; isContradicted: boolean },
): Promise<Decision> {
  const { number, hash } = block;
  const { holds, count } = gate;
  const witness = await ask(gate, { number, tag: null, isLeaderAsked: true, enough: everyone });
  if (witness.kind === "alone") return "agreed";
  const hashAt = async (at: bigint) => (at === number ? hash : null);
  const weighed = await weighWords(witness.words, count, hashAt);
  const { isSo, isContradicted } = judge(weighed, witness.words);
  if (isSo) {
    holds.end(what);
    return "agreed";
  }
  const why = isContradicted ? "disputed" : "silent";
  return holds.wait({ what, why, number }, heardOf(witness)) ? "passed" : "held";
}

async function isSaidByOthers(
  gate: Gate,
  { number, hash }: Position,
): Promise<"agreed" | "disputed" | "silent" | "alone"> {
  const witness = await ask(gate, { number, tag: null, isLeaderAsked: true });
  if (witness.kind === "alone") return "alone";
  const hashAt = async (at: bigint) => (at === number ? hash : null);
  const { agreed, dispute } = await weighWords(witness.words, gate.count, hashAt);
  if (agreed === number) return "agreed";
  return dispute === null ? "silent" : "disputed";
}

function ask(
  { ports, count }: Gate,
  question: Omit<WitnessQuestion, "enough"> & { enough?: number },
): Promise<Witness> {
  const enough = question.enough ?? (question.isLeaderAsked ? count : count - 1);
  return ports.chain.witness({ ...question, enough });
}
