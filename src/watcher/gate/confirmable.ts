import type { BlockHeader, Hash, Position } from "../../domain/chain/block.ts";
import { type ConfirmationPolicy, confirmedHeight } from "../../domain/chain/confirmation.ts";
import type { AgreementGate, Ballot } from "../../domain/watch/agreement-gate.ts";
import type { ChainSource, TaggedBlock } from "../../domain/watch/chain-source.ts";
import type { HeadLedger } from "../../domain/watch/watcher-ledger.ts";

export type Confirmable =
  /**
   * Every block up to `number` may be confirmed. `isAgreed`: enough endpoints agree. False: the
   * others have been silent for too long.
   */
  | { kind: "confirmable"; number: bigint; isAgreed: boolean }
  /**
   * Nothing new may be confirmed yet. The chain has no tag, too few endpoints answer, or they are
   * behind.
   */
  | { kind: "wait" }
  /** Another endpoint, or the tag, has another block at a height that would be confirmed. */
  | { kind: "disputed"; number: bigint; stored: Hash; other: Hash };

export type HeightLedger = Pick<HeadLedger, "readHash" | "readAgedHeight">;

/**
 * The ledger as it will be once these headers are stored.
 * @param headers oldest first
 * @param stored what the ledger has now. Null: nothing of this chain
 */
export function ledgerWith(
  headers: readonly BlockHeader[],
  stored: HeightLedger | null,
): HeightLedger {
  const hashes = new Map(headers.map(({ number, hash }) => [number, hash]));
  const newestFirst = headers.toReversed();
  return {
    readHash: async (chainName, number) =>
      hashes.get(number) ?? stored?.readHash(chainName, number) ?? null,
    async readAgedHeight(chainName, tip, ageMs) {
      const beforeMs = (tip.timeMs ?? 0) - ageMs;
      const aged = newestFirst.find(({ timeMs }) => timeMs <= beforeMs);
      return aged?.number ?? stored?.readAgedHeight(chainName, tip, ageMs) ?? null;
    },
  };
}

/** The height that the policy would confirm at this tip. Below zero: none. */
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
 * Finds the height up to which a chain may be confirmed once `tip` is its position. The policy
 * decides how far. If the chain has endpoints of several hosts, enough of them must agree with that
 * height too. A height without a stored hash cannot be compared, so it confirms nothing.
 */
export async function findConfirmable(
  ports: { gate: Pick<AgreementGate, "agreedUpTo">; ledger: HeightLedger },
  of: {
    chainName: string;
    /** `timeMs` null: the block is stored, so the ledger knows its time. */
    tip: Position & { timeMs: number | null };
    /** Must be read before the tip's block. Null: the policy needs no tag. */
    tag: TaggedBlock | null;
    policy: ConfirmationPolicy;
    /** The height that is confirmed already. Null: none is. */
    confirmedNumber: bigint | null;
    /**
     * The votes of other endpoints on that height, if they were asked already. Null: they are asked
     * now.
     */
    ballot: Ballot | null;
    /** The host that the tip was just read from, which counts as its vote. Null: no host's. */
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
 * The block with the tag that a policy names. Null: the policy names no tag, or the chain has no
 * such block yet. Also null if the endpoint lacks the block that it named. Read it before the block
 * that will be the tip.
 */
export async function readTag(
  chain: Pick<ChainSource, "tagged">,
  policy: ConfirmationPolicy,
): Promise<TaggedBlock | null> {
  return policy.kind === "tag" ? chain.tagged(policy.tag) : null;
}
