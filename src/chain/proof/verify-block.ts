import type { Hash } from "../../domain/chain/block.ts";
import type { ReceiptsProof } from "../../domain/chain/block-proof.ts";
import type { RpcBlock, RpcLog, RpcReceipt } from "../rpc/rpc-block.ts";
import { refusedBlock } from "./refuse-block.ts";

/**
 * Refuses a block whose parts do not belong together:
 * - Every transaction must have its receipt, in order.
 * - Every receipt and log must carry the block's hash.
 * - A bloom that promises logs must come with some, unless it is of other blocks (`settled`).
 * - No transaction may come twice: some nodes repeat one, which would double its payments.
 * - Log indexes must count up, and without a gap where the chain is not known for gaps. With gaps,
 *   none may be more than the ledger can store.
 *
 * The last two do not matter if the receipts are held against the header's root too. It fixes their
 * number and order. It does not cover the indexes that an endpoint writes.
 *
 * @returns the receipts, with the logs counted anew if their root fixes the order
 * @throws Fault `rpc_inconsistent`, naming the part
 */
export function verifyBlock(
  block: RpcBlock,
  receipts: readonly RpcReceipt[],
  rules: { receipts: ReceiptsProof; hasLogGaps: boolean },
): RpcReceipt[] {
  if (receipts.length !== block.transactions.length) {
    const found = `${block.transactions.length} transactions, but ${receipts.length} receipts`;
    throw refusedBlock(block, found);
  }
  for (const [index, receipt] of receipts.entries()) verifyReceipt(block, receipt, index);
  const hasLogs = receipts.some(({ logs }) => logs.length > 0);
  if (rules.receipts !== "settled" && !hasLogs && /[^0x]/.test(block.logsBloom))
    throw refusedBlock(block, "its bloom promises logs, but there are none");
  if (rules.receipts === "root" || rules.receipts === "root-op") return countedAnew(receipts);
  verifyOrder(block, receipts, rules);
  return [...receipts];
}

function countedAnew(receipts: readonly RpcReceipt[]): RpcReceipt[] {
  let logIndex = 0;
  const count = (log: RpcLog): RpcLog => {
    const counted = log.logIndex === logIndex ? log : { ...log, logIndex };
    logIndex += 1;
    return counted;
  };
  return receipts.map((receipt) => ({ ...receipt, logs: receipt.logs.map(count) }));
}

/** The largest log index that the ledger can store. */
const maxLogIndex = 2 ** 31 - 1;

function verifyOrder(
  block: RpcBlock,
  receipts: readonly RpcReceipt[],
  { hasLogGaps }: { hasLogGaps: boolean },
): void {
  const seen = new Set<Hash>();
  let next = 0;
  for (const [index, { transactionHash, logs }] of receipts.entries()) {
    if (seen.has(transactionHash)) throw refusedBlock(block, `transaction ${index} is in it twice`);
    seen.add(transactionHash);
    for (const { logIndex } of logs) {
      if (hasLogGaps ? logIndex < next || logIndex > maxLogIndex : logIndex !== next)
        throw refusedBlock(block, `log index ${logIndex} where ${next} was due`);
      next = logIndex + 1;
    }
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
