import type { Hash } from "../../domain/chain/block.ts";
import type { ReceiptsProof } from "../../domain/chain/block-proof.ts";
import type { RpcBlock, RpcReceipt } from "../rpc/rpc-block.ts";
import { refusedBlock } from "./refuse-block.ts";

/**
 * Refuses a block whose parts do not belong together:
 * - Every transaction must have its receipt, in order.
 * - Every receipt and log must carry the block's hash.
 * - A bloom that promises logs must come with some, unless it is of other blocks (`settled`).
 * - No transaction may come twice: some nodes repeat one, which would double its payments.
 * - Log indexes must count up, and without a gap where the chain is not known for gaps.
 *
 * The last two do not matter where the receipts are also held against the header's root, which
 * fixes their number and order.
 *
 * @throws Fault `rpc_inconsistent`, naming the part
 */
export function verifyBlock(
  block: RpcBlock,
  receipts: readonly RpcReceipt[],
  rules: { receipts: ReceiptsProof; hasLogGaps: boolean },
): void {
  if (receipts.length !== block.transactions.length) {
    const found = `${block.transactions.length} transactions, but ${receipts.length} receipts`;
    throw refusedBlock(block, found);
  }
  const { receipts: proof, hasLogGaps } = rules;
  const isOrderKnown = proof === "root" || proof === "root-op";
  const seen = new Set<Hash>();
  let nextLogIndex = 0;
  for (const [index, receipt] of receipts.entries()) {
    verifyReceipt(block, receipt, index);
    if (!isOrderKnown && seen.has(receipt.transactionHash))
      throw refusedBlock(block, `transaction ${index} is in it twice`);
    seen.add(receipt.transactionHash);
    for (const log of receipt.logs) {
      const { logIndex } = log;
      const isNext = hasLogGaps ? logIndex >= nextLogIndex : logIndex === nextLogIndex;
      if (!isOrderKnown && !isNext)
        throw refusedBlock(block, `log index ${logIndex} where ${nextLogIndex} was due`);
      nextLogIndex = isOrderKnown ? nextLogIndex + 1 : logIndex + 1;
    }
  }
  if (proof !== "settled" && nextLogIndex === 0 && /[^0x]/.test(block.logsBloom)) {
    throw refusedBlock(block, "its bloom promises logs, but there are none");
  }
}

function verifyReceipt(block: RpcBlock, receipt: RpcReceipt, index: number): void {
  if (block.transactions[index]?.hash !== receipt.transactionHash)
    throw refusedBlock(block, `receipt ${index} is of another transaction`);
  if (receipt.blockHash !== block.hash)
    throw refusedBlock(block, `receipt ${index} is of block ${receipt.blockHash}`);
  if (BigInt(receipt.transactionHash) === 0n)
    throw refusedBlock(block, `transaction ${index} has no hash`);
  for (const log of receipt.logs) {
    if (log.blockHash !== block.hash || log.transactionHash !== receipt.transactionHash) {
      throw refusedBlock(block, `log ${log.logIndex} is of another block or transaction`);
    }
  }
}
