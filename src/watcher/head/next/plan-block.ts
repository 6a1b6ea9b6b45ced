import type { Position } from "../../../domain/chain/block.ts";
import type { ChainSource } from "../../../domain/watch/chain-source.ts";
import type { HeadLedger } from "../../../domain/watch/watcher-ledger.ts";

/** Why no block can be added to the position now. */
export type NoNextBlock =
  /** The position is the head. */
  | { kind: "at_head" }
  /** The endpoint's head is an ancestor of the position: it lags, which is no reorg. */
  | { kind: "endpoint_lags"; headNumber: bigint }
  /**
   * The endpoint no longer serves the branch of the position. `lowerHead`: how high its new branch is, where that is still
   * shorter; else null.
   */
  | { kind: "reorganised"; lowerHead: bigint | null };

/** Whether the chain has a block above the position. */
export type BlockPlan = { kind: "next"; number: bigint; headNumber: bigint } | NoNextBlock;

/** Compares the position with the head of the chain, which is asked for only where it has to be. */
export async function planBlock(
  ports: {
    chain: Pick<ChainSource, "head" | "announcedHead" | "quietMs">;
    ledger: Pick<HeadLedger, "readHash">;
  },
  of: {
    chainName: string;
    position: Position;
    /** The head as last seen; null: not known. */
    knownHead: bigint | null;
    /** Whether the block after the position has been read already. */
    isRead: boolean;
  },
): Promise<BlockPlan> {
  const { chainName, position, knownHead, isRead } = of;
  const number = position.number + 1n;
  if (knownHead !== null && knownHead >= number)
    return { kind: "next", number, headNumber: knownHead };
  if (isRead) return { kind: "next", number, headNumber: number };
  const announced = ports.chain.announcedHead();
  if (announced?.hash === position.hash) return { kind: "at_head" };
  if (knownHead === position.number && ports.chain.quietMs() > 0) return { kind: "at_head" };
  const head = await ports.chain.head();
  if (head.number > position.number) return { kind: "next", number, headNumber: head.number };
  if (head.number === position.number)
    return head.hash === position.hash
      ? { kind: "at_head" }
      : { kind: "reorganised", lowerHead: null };
  const stored = await ports.ledger.readHash(chainName, head.number);
  return stored === head.hash
    ? { kind: "endpoint_lags", headNumber: head.number }
    : { kind: "reorganised", lowerHead: head.number };
}
