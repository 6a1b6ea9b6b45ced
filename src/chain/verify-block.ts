import type { Hash } from "../domain/block.ts";
import { Fault } from "../domain/fault.ts";
import type { RpcBlock, RpcReceipt } from "./rpc-block.ts";

/**
 * Refuses a block whose parts do not belong together: every transaction must have its receipt, in order, and every receipt and log
 * must carry the block's hash; log indexes count up without a gap; a bloom that promises logs must come with some.
 * @throws Fault `rpc_inconsistent`, naming the part. Nothing of the block may be used then (I1).
 */
export function verifyBlock(block: RpcBlock, receipts: RpcReceipt[]): void {
  const refuse = (part: string): never => {
    throw new Fault(
      "rpc_inconsistent",
      `Block ${block.number} (${block.hash}) does not hold together: ${part}.`,
      {
        facts: { blockNumber: block.number.toString(), blockHash: block.hash, part },
      },
    );
  };
  if (receipts.length !== block.transactions.length) {
    refuse(`${block.transactions.length} transactions, but ${receipts.length} receipts`);
  }
  let nextLogIndex = 0;
  receipts.forEach((receipt, index) => {
    const transaction = block.transactions[index];
    if (transaction?.hash !== receipt.transactionHash)
      refuse(`receipt ${index} is of another transaction`);
    if (receipt.blockHash !== block.hash)
      refuse(`receipt ${index} is of block ${receipt.blockHash}`);
    if (BigInt(receipt.transactionHash) === 0n) refuse(`transaction ${index} has no hash`);
    for (const log of receipt.logs) {
      if (log.blockHash !== block.hash || log.transactionHash !== receipt.transactionHash) {
        refuse(`log ${log.logIndex} is of another block or transaction`);
      }
      if (log.logIndex !== nextLogIndex)
        refuse(`log index ${log.logIndex} where ${nextLogIndex} was due`);
      nextLogIndex += 1;
    }
  });
  const bloom = block.logsBloom;
  if (nextLogIndex === 0 && bloom !== null && BigInt(bloom) !== 0n)
    refuse("its bloom promises logs, but there are none");
}

/** The same for a bare header: it must be the one asked for. */
export function verifyHeight(
  asked: bigint,
  block: { number: bigint | null; hash: Hash | null },
): void {
  if (block.number !== asked || block.hash === null) {
    throw new Fault(
      "rpc_inconsistent",
      `Asked for block ${asked}, the endpoint answered with ${block.number}.`,
    );
  }
}
