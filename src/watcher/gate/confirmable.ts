import type { Hash, Position } from "../../domain/chain/block.ts";
import { type ConfirmationPolicy, confirmedHeight } from "../../domain/chain/confirmation.ts";
import type { Ballot, ChainSource, TaggedBlock } from "../../domain/watch/chain-source.ts";
import type { HeadLedger } from "../../domain/watch/watcher-ledger.ts";
import type { WitnessGate } from "./witness-gate.ts";

export type Confirmable =
  /**
   * Everything up to here may be confirmed. `isAgreed`: by as many endpoints as it takes, not for
   * want of an answer.
   */
  | { kind: "confirmable"; number: bigint; isAgreed: boolean }
  /**
   * Nothing new may be confirmed yet: the chain has no tag, or too few endpoints answer, or they
   * lie behind.
   */
  | { kind: "wait" }
  /** Another endpoint, or the tag, has another block at a height that would be confirmed. */
  | { kind: "disputed"; number: bigint; stored: Hash; other: Hash };

export type HeightLedger = Pick<HeadLedger, "readHash" | "readAgedHeight">;

/** The height that the policy would confirm at that tip; below zero where there is none. */
export async function heightToConfirm(
  ledger: Pick<HeightLedger, "readAgedHeight">,
  of: {
    chainName: string;
    tip: Position & { timeMs: number | null };
    tag: Position | null;
    policy: ConfirmationPolicy;
  },
): Promise<bigint> {
  const { chainName, tip, tag, policy } = of;
  const named =
    policy.kind === "age"
      ? await ledger.readAgedHeight(chainName, tip, policy.ageMs)
      : (tag?.number ?? null);
  return confirmedHeight(tip.number, policy, named);
}

/**
 * The height up to which a chain may be confirmed once `tip` is its position. The policy says how
 * far. Where the chain has endpoints of several hosts, enough of them must also agree with that
 * height. A height whose hash is not stored cannot be compared: nothing new is confirmed by it.
 */
export async function findConfirmable(
  ports: { gate: Pick<WitnessGate, "agreedUpTo">; ledger: HeightLedger },
  of: {
    chainName: string;
    /** Its time is null where it is stored. */
    tip: Position & { timeMs: number | null };
    /** Read before the tip's block was; null where the policy needs none. */
    tag: TaggedBlock | null;
    policy: ConfirmationPolicy;
    /** The height that is confirmed already. Null: none is. */
    confirmedNumber: bigint | null;
    /**
     * The votes of other endpoints that are there already for that height. Null: they are asked
     * now.
     */
    ballot: Ballot | null;
    /**
     * The host that the tip has just been read from; null: nobody has vouched for it by that.
     */
    readFrom: string | null;
  },
): Promise<Confirmable> {
  const { gate, ledger } = ports;
  const { chainName, tip, tag, policy, confirmedNumber, ballot, readFrom } = of;
  const number = await heightToConfirm(ledger, of);
  if (number < 0n) return { kind: "wait" };
  const hashAt = async (height: bigint) =>
    height === tip.number ? tip.hash : ledger.readHash(chainName, height);

  if (tag !== null && tag.number <= tip.number) {
    const stored = await hashAt(tag.number);
    if (stored === null) return { kind: "wait" };
    if (stored !== tag.hash) return { kind: "disputed", number, stored, other: tag.hash };
  }
  if (confirmedNumber !== null && number <= confirmedNumber) return { kind: "wait" };
  const tagName = policy.kind === "tag" ? policy.tag : null;
  const asked = { number, tag: tagName, tagSaidBy: tag?.saidBy ?? null, hashAt };
  const agreed = await gate.agreedUpTo({ ...asked, ballot, readFrom });
  switch (agreed.kind) {
    case "agreed":
      return { kind: "confirmable", number: agreed.number, isAgreed: true };
    case "passed":
      return { kind: "confirmable", number: agreed.number, isAgreed: false };
    case "silent":
      return { kind: "wait" };
    case "disputed":
      return agreed;
  }
}

/**
 * The block of the tag that a policy names. Null where the policy names none, where the chain has
 * none yet, or where the endpoint names one that it does not have. Read it before the block that is
 * to be the tip.
 */
export async function readTag(
  chain: Pick<ChainSource, "tagged">,
  policy: ConfirmationPolicy,
): Promise<TaggedBlock | null> {
  return policy.kind === "tag" ? chain.tagged(policy.tag) : null;
}
