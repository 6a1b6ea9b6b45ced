import { txTypes } from "../../domain/chain/tx-types.ts";
import type { RpcBlock, RpcReceipt, RpcTransaction } from "../rpc/rpc-block.ts";
import { readQuantity } from "../rpc/rpc-value.ts";
import { isThere, quantity, toBytes } from "./encoding/fields.ts";
import { encodeRlp } from "./encoding/rlp.ts";
import type { Keccak } from "./hashing/keccak.ts";
import { refusedBlock } from "./refuse-block.ts";

// Checks claims of an endpoint that follow from bytes which the block's roots cover.

/** True for Ethereum's own types, whose possible parts are known. */
const isOwnType = ({ type }: RpcTransaction) => type <= 4;

/**
 * Refuses parts that a transaction of its type cannot have, and that no root covers. These are coin
 * made for its sender, and a fee paid in a token. Celo's plain transactions could name such a
 * token, until Celo became an L2.
 * @throws Fault `rpc_inconsistent`
 */
export function proveTypes({ transactions, ...block }: RpcBlock): void {
  for (const [index, transaction] of transactions.entries()) {
    if (transaction.mint > 0n && transaction.type !== txTypes.deposit)
      throw refusedBlock(block, `transaction ${index} is no deposit, but makes coin`);
    const { type, raw } = transaction;
    if (type > 0 && isOwnType(transaction) && isThere(raw, "feeCurrency"))
      throw refusedBlock(
        block,
        `transaction ${index} names a token for its fee, as no such type can`,
      );
  }
}

/**
 * Checks the addresses of created contracts by proved transactions. A contract's address follows
 * from its creator and the creator's nonce (yellow paper, 7).
 * @throws Fault `rpc_inconsistent` if a receipt names another address, or none for a created
 *   contract
 */
export function proveCreated(
  keccak: Keccak,
  { block, receipts }: { block: RpcBlock; receipts: readonly RpcReceipt[] },
): void {
  for (const [index, transaction] of block.transactions.entries()) {
    const receipt = receipts[index];
    if (receipt === undefined || transaction.to !== null || !isOwnType(transaction)) continue;
    const { contractAddress, isSuccess } = receipt;
    if (contractAddress === null && !isSuccess) continue;
    if (contractAddress !== createdBy(keccak, transaction))
      throw refusedBlock(
        block,
        `the contract of transaction ${index} is not at the address it has`,
      );
  }
}

function createdBy(keccak: Keccak, { from, raw }: RpcTransaction): string {
  const hash = keccak(encodeRlp([toBytes(from), quantity(raw, "nonce")]));
  return `0x${Buffer.from(hash.subarray(12)).toString("hex")}`;
}

/**
 * Checks the gas of each receipt by the cumulative gas, which the receipts' root covers.
 * @throws Fault `rpc_inconsistent`
 */
export function proveGas({
  block,
  receipts,
}: {
  block: RpcBlock;
  receipts: readonly RpcReceipt[];
}): void {
  let before = 0n;
  for (const [index, { gasUsed, raw }] of receipts.entries()) {
    const sum = readQuantity(raw["cumulativeGasUsed"], "cumulativeGasUsed");
    if (sum - before !== gasUsed)
      throw refusedBlock(block, `transaction ${index} did not use the gas that its receipt says`);
    before = sum;
  }
}
