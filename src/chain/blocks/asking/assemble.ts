import type { Hash } from "../../../domain/chain/block.ts";
import type { Tracing } from "../../../domain/chain/block-proof.ts";
import type { BlockEvidence, LoadedBlock } from "../../../domain/money/movement.ts";
import { readDebugTraces } from "../../decode/call-tracer.ts";
import { requireCoinLogs } from "../../decode/coin-logs.ts";
import { decodeBlock } from "../../decode/decode-block.ts";
import { withOutcomes } from "../../decode/outcome.ts";
import { readParityTraces } from "../../decode/trace-block.ts";
import type { BlockTraces, TracedBlock } from "../../decode/trace-moves.ts";
import { unshownFees } from "../../proof/data-fees.ts";
import type { Cryptography } from "../../proof/hashing/cryptography.ts";
import { hasUncovered, proofAt, proveBlock } from "../../proof/prove-block.ts";
import { proveOtherFees, withPrices } from "../../proof/prove-fees.ts";
import { stateSyncHash } from "../../proof/state-sync.ts";
import { verifyBlock } from "../../proof/verify-block.ts";
import type { RpcBlock, RpcReceipt } from "../../rpc/rpc-block.ts";
import { type BlockParts, headerOf, type LoadRules } from "./load-block.ts";

/** Needed to prove a block and to decode it. */
export type Tools = { cryptography: Cryptography; rules: LoadRules };

/**
 * Proves a block's parts by the block, and the block by its hash, and decodes all its movements.
 * @throws Fault `rpc_inconsistent` if a part does not hold, which names it; `block_unreadable`
 */
export function assemble(
  { block, host, receipts: answered, tracing, traces }: BlockParts,
  { cryptography, rules }: Tools,
): LoadedBlock {
  const { hasLogGaps, outsideRoots } = rules.profile;
  const verifying = { receipts: proofAt(rules, block).receipts, hasLogGaps };
  const verified = verifyBlock(block, answered, verifying);
  proveBlock(cryptography, rules, { block, receipts: verified });
  const receipts = withOutcomes(block, priced(rules, block, verified));
  requireCoinLogs(block, receipts, rules.aliases);
  const systemHash = outsideRoots === null ? null : stateSyncHash(cryptography.keccak, block);
  const untraced = new Set<Hash>(systemHash === null ? [] : [systemHash]);
  const read = traces === null ? null : readTraces({ block, receipts, untraced }, tracing, traces);
  return {
    header: headerOf(block),
    movements: decodeBlock({ block, receipts, traces: read, systemHash }, rules),
    evidence: {
      ...evidenceOf(cryptography, rules, block),
      unshownFees: unshownIn(rules, block, receipts),
    },
    host,
  };
}

/**
 * Adds to receipts the gas price that they leave out, and fees that follow from proved
 * transactions.
 */
function priced(rules: LoadRules, block: RpcBlock, receipts: RpcReceipt[]): RpcReceipt[] {
  const areProved = proofAt(rules, block).transactions;
  if (areProved) proveOtherFees(rules.profile, { block, receipts });
  return withPrices(rules.profile, { block, receipts }, areProved);
}

/**
 * The fees that no proof shows. If the transactions are not proved, no fee is, and none is named
 * here.
 */
function unshownIn(rules: LoadRules, block: RpcBlock, receipts: readonly RpcReceipt[]) {
  const isProved = proofAt(rules, block).transactions;
  return isProved ? unshownFees(rules.profile, { block, receipts }) : new Set<Hash>();
}

function readTraces(traced: TracedBlock, mode: Tracing, answer: unknown): BlockTraces {
  return mode === "parity" ? readParityTraces(traced, answer) : readDebugTraces(traced, answer);
}

/**
 * The evidence for the movements of a block that was proved as the rules ask. Without a proved
 * header, a root only shows that the endpoint agrees with itself. With a transaction in no root, it
 * shows only some of the movements.
 */
function evidenceOf(
  { keccak }: Cryptography,
  rules: LoadRules,
  block: RpcBlock,
): Omit<BlockEvidence, "unshownFees"> {
  const { header, transactions, receipts } = proofAt(rules, block);
  const isShown = header && !hasUncovered(keccak, rules, block);
  const isRoot = isShown && (receipts === "root" || receipts === "root-op");
  const isBloom = isShown && receipts === "bloom";
  return {
    logs: isRoot ? "root" : isBloom ? "bloom" : "answered",
    others: isRoot && transactions ? "root" : "answered",
    traces: "answered",
  };
}
