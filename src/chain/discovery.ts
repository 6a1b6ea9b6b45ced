import type { BlockProof, ReceiptsProof } from "../domain/chain/block-proof.ts";
import type { Discovery } from "../domain/chain/chain-status.ts";
import type { ChainProfile } from "../domain/chain/profile.ts";
import { faultIn } from "../domain/fault.ts";
import type { Logger } from "../runtime/logger.ts";
import type { BlockParts } from "./blocks/asking/load-block.ts";
import type { Cryptography } from "./proof/hashing/cryptography.ts";
import { proveBlock } from "./proof/prove-block.ts";

/**
 * The number of blocks that are examined. That is an hour on some chains and seconds on others, and
 * has every usual type of transaction.
 */
const discoveredBlocks = 64;

/** The ways to prove receipts, the strongest first. A fourth, `none`, always holds. */
const receiptsProofs = ["root", "root-op", "bloom"] as const satisfies readonly ReceiptsProof[];

/** The proofs that held in all blocks so far. */
type Held = { header: boolean; transactions: boolean; receipts: readonly ReceiptsProof[] };

/**
 * Finds out how blocks can be proved, on a chain without a recorded or documented profile. It tries
 * whether headers hash, whether roots hold, and whether there is a bloom. It only informs. The
 * configuration alone decides which proofs are required.
 */
export function createDiscovery(
  log: Logger,
  of: { chainId: number; profile: ChainProfile },
): {
  /** Examines the next block as it was answered. */
  look: (cryptography: Cryptography, parts: BlockParts) => void;
  /** Null: the chain has a profile, or no block was examined yet. */
  found: () => Discovery | null;
} {
  const { chainId, profile } = of;
  let held: Held = { header: true, transactions: true, receipts: receiptsProofs };
  let blocks = 0;
  let withTransactions = 0;
  let last = -1n;

  const found = (): Discovery | null => {
    if (blocks === 0) return null;
    const isShown = withTransactions > 0;
    return {
      blocks,
      isComplete: blocks >= discoveredBlocks,
      header: held.header,
      transactions: isShown ? held.transactions : null,
      receipts: isShown ? (held.receipts[0] ?? "none") : null,
    };
  };

  return {
    look(cryptography, { block, receipts }) {
      const isKnown = profile.evidence.level !== "assumed";
      if (isKnown || blocks >= discoveredBlocks || block.number <= last) return;
      last = block.number;
      blocks += 1;
      const holds = (proof: Partial<BlockProof>) =>
        doesHold(() =>
          proveBlock(
            cryptography,
            { profile, proof: { ...nothing, ...proof } },
            { block, receipts },
          ),
        );
      const header = held.header && holds({ header: true });
      if (block.transactions.length === 0) {
        held = { ...held, header };
      } else {
        withTransactions += 1;
        held = {
          header,
          transactions: held.transactions && holds({ transactions: true }),
          receipts: held.receipts.filter((proof) => holds({ receipts: proof })),
        };
      }
      if (blocks === discoveredBlocks) log.info({ chainId, ...found() }, "chain.discovered");
    },
    found,
  };
}

const nothing: BlockProof = { header: false, transactions: false, receipts: "none" };

function doesHold(prove: () => void): boolean {
  try {
    prove();
    return true;
  } catch (error) {
    if (faultIn(error) === undefined) throw error;
    return false;
  }
}
