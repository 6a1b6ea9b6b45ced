import { type Address, zeroAddress } from "../domain/address.ts";
import type { Hash } from "../domain/block.ts";
import { type Movement, nativeAddress } from "../domain/movement.ts";
import type { RpcBlock, RpcLog, RpcReceipt } from "./rpc-block.ts";

/** keccak-256 of `Transfer(address,address,uint256)` (ERC-20). */
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/**
 * Every movement of a verified block, in order of execution: of each transaction its top-level value (with any
 * calldata, and only where the receipt succeeded), its Transfer logs of whatever token, and then what its sender paid for
 * it, which is also due where it failed. Which assets count is for the match to say: they may change meanwhile.
 */
export function decodeBlock(block: RpcBlock, receipts: RpcReceipt[]): Movement[] {
  return block.transactions.flatMap((transaction, index) => {
    const receipt = receipts[index];
    if (receipt === undefined) return [];
    const movements: Movement[] = [];
    const to = transaction.to ?? receipt.contractAddress;
    if (receipt.status === "success" && transaction.value > 0n && to) {
      movements.push(native(transaction.hash, transaction.from, to, transaction.value));
    }
    for (const log of receipt.logs) {
      const movement = decodeTransfer(log);
      if (movement !== null) movements.push(movement);
    }
    const fee = feeOf(receipt);
    if (fee > 0n) {
      movements.push({
        ...native(transaction.hash, transaction.from, zeroAddress, fee),
        kind: "fee",
      });
    }
    return movements;
  });
}

function native(txHash: Hash, from: string, to: string, amountAtomic: bigint): Movement {
  const common = { asset: nativeAddress, logIndex: null, tracePath: null } as const;
  return { ...common, kind: "transfer", txHash, from: lower(from), to: lower(to), amountAtomic };
}

/** An ERC-20 Transfer: three topics and one word. An ERC-721 one has four topics and is not money. */
function decodeTransfer(log: RpcLog): Movement | null {
  const [topic, from, to] = log.topics;
  if (topic !== transferTopic || from === undefined || to === undefined || log.topics.length !== 3)
    return null;
  if (log.data.length !== 2 + 64) return null;
  return {
    kind: "transfer",
    asset: lower(log.address),
    txHash: log.transactionHash,
    from: addressIn(from),
    to: addressIn(to),
    amountAtomic: BigInt(log.data),
    logIndex: log.logIndex,
    tracePath: null,
  };
}

/** Gas, blob gas (EIP-4844) and, on an OP-stack chain, the L1 data fee. */
function feeOf(receipt: RpcReceipt): bigint {
  const gas = receipt.gasUsed * receipt.effectiveGasPrice;
  const blob = (receipt.blobGasUsed ?? 0n) * (receipt.blobGasPrice ?? 0n);
  return gas + blob + receipt.l1FeeAtomic;
}

/** The last 20 bytes of a 32-byte word. */
function addressIn(word: string): Address {
  return `0x${word.slice(-40).toLowerCase()}`;
}

function lower(address: string): Address {
  return address.toLowerCase() as Address;
}
