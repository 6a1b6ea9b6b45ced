import type { BlockHeader, Hash, Position } from "../domain/block.ts";
import { type ConfirmationPolicy, confirmedHeight } from "../domain/confirmation.ts";
import { type ConfirmingChain, readTag } from "./confirmable.ts";

type Chain = Pick<ConfirmingChain, "tagged"> & {
  head: () => Promise<Position>;
  headers: (from: bigint, to: bigint) => Promise<BlockHeader[]>;
};

type Ledger = {
  startChain: (start: {
    chainName: string;
    genesisHash: Hash;
    window: BlockHeader[];
    confirmedNumber: bigint;
  }) => Promise<void>;
};

/** Headers remembered below the first position, so that a reorg right after the start finds its ancestor: two epochs. */
const startWindow = 64n;

/**
 * Gives a chain its first position: the block before `startBlock`, or before the head where none is configured, so
 * that the start block is the first one processed. Block 0 holds no transactions and is never processed.
 * @returns false while the chain has not reached its start block yet
 */
export async function startWatching(
  ports: { chain: Chain; ledger: Ledger },
  start: {
    chainName: string;
    genesisHash: Hash;
    startBlock: bigint | null;
    policy: ConfirmationPolicy;
  },
): Promise<boolean> {
  const { chainName, genesisHash, startBlock, policy } = start;
  const head = await ports.chain.head();
  const firstProcessed = startBlock ?? head.number;
  const position = firstProcessed > 0n ? firstProcessed - 1n : 0n;
  if (position > head.number) return false;
  const from = position > startWindow ? position - startWindow : 0n;
  const tag = await readTag(ports.chain, policy);
  const window = await ports.chain.headers(from, position);
  await ports.ledger.startChain({
    chainName,
    genesisHash,
    window,
    confirmedNumber: confirmedHeight(position, policy, tag?.number ?? null),
  });
  return true;
}
