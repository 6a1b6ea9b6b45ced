import type { Hash, Position } from "../domain/chain/block.ts";
import { type ConfirmationPolicy, confirmedHeight } from "../domain/chain/confirmation.ts";
import type { ChainSource, Witness } from "../domain/watch/chain-source.ts";
import type { HeadLedger } from "../domain/watch/watcher-ledger.ts";

export type ConfirmingChain = Pick<ChainSource, "tagged" | "witness">;

type Ledger = Pick<HeadLedger, "readHash">;

export type Confirmable =
  /** Everything up to here may be confirmed. */
  | { kind: "confirmable"; number: bigint }
  /** Nothing new may be confirmed yet: the chain has no tag, or another endpoint does not answer or lies behind. */
  | { kind: "wait" }
  /** Another endpoint, or the tag, has another block at a height that would be confirmed. */
  | { kind: "disputed"; number: bigint; stored: Hash; other: Hash };

/**
 * How far a chain may be confirmed once `tip` is its position: by its policy, and, where there is a second endpoint,
 * never above what that agrees with. `tag` was read before the tip's block was; null where the policy needs none. A
 * height whose hash is no longer stored cannot be compared: nothing new is confirmed.
 */
export async function findConfirmable(
  ports: { chain: ConfirmingChain; ledger: Ledger },
  of: {
    chainName: string;
    tip: Position;
    tag: Position | null;
    policy: ConfirmationPolicy;
    /** What the other endpoint has answered for that height already; null: it is asked now. */
    witness: Witness | null;
  },
): Promise<Confirmable> {
  const { chain, ledger } = ports;
  const { chainName, tip, tag, policy } = of;
  const number = confirmedHeight(tip.number, policy, tag?.number ?? null);
  if (number < 0n) return { kind: "wait" };
  const hashAt = async (height: bigint) =>
    height === tip.number ? tip.hash : ledger.readHash(chainName, height);

  if (tag !== null && tag.number <= tip.number) {
    const stored = await hashAt(tag.number);
    if (stored === null) return { kind: "wait" };
    if (stored !== tag.hash) return { kind: "disputed", number, stored, other: tag.hash };
  }
  const early = of.witness;
  // An endpoint that was behind may have caught up since.
  const isLate = early?.kind === "seen" && early.position.number < number;
  const witness = early === null || isLate ? await chain.witness(number) : early;
  switch (witness.kind) {
    case "alone":
      return { kind: "confirmable", number };
    case "silent":
      return { kind: "wait" };
    case "seen": {
      const { position } = witness;
      const stored = await hashAt(position.number);
      if (stored === null) return { kind: "wait" };
      return stored === position.hash
        ? { kind: "confirmable", number: position.number }
        : { kind: "disputed", number: position.number, stored, other: position.hash };
    }
  }
}

/**
 * The block of the tag that a policy names; null where it names none, or the chain has none yet. Read it before the
 * block that is to be the tip.
 */
export async function readTag(
  chain: Pick<ConfirmingChain, "tagged">,
  policy: ConfirmationPolicy,
): Promise<Position | null> {
  return policy.kind === "tag" ? chain.tagged(policy.tag) : null;
}
