import type { ChainProfile } from "../../domain/chain/profile.ts";
import { txTypes } from "../../domain/chain/tx-types.ts";
import type { RpcBlock, RpcReceipt, RpcTransaction } from "../rpc/rpc-block.ts";
import { readList, readOptionalQuantity, readQuantity } from "../rpc/rpc-value.ts";
import { isThere } from "./encoding/fields.ts";
import { refusedBlock } from "./refuse-block.ts";

/** A block whose transactions are proved, and its receipts, which say what each paid for a unit of gas. */
type Priced = { block: RpcBlock; receipts: readonly RpcReceipt[] };

/** Whose chains charge for data and for the operator, too. Of a chain that is not known nobody can say. */
const dataFeeFamilies: readonly string[] = ["OP stack", "Scroll", "unknown"];

const dataFees = ["l1Fee", "operatorFeeConstant", "operatorFeeScalar"];

/** EIP-4844. */
const blobType = 3;
const gasPerBlob = 131_072n;

/**
 * Refuses what no transaction of its type, or of its chain, can have paid: fees for blobs that it did not bring, or for
 * data where there is no such fee. What is left is said by the endpoint alone: the price of blob gas, and an L2's data fee.
 * @throws Fault `rpc_inconsistent`
 */
export function proveOtherFees(
  { family }: Pick<ChainProfile, "family">,
  { block, receipts }: Priced,
): void {
  for (const [index, { type, raw }] of block.transactions.entries()) {
    // Celo's of before it became an L2 could name a token, and have other bytes.
    if (type === 0 && isThere(raw, "feeCurrency"))
      throw refusedBlock(
        block,
        `transaction ${index} names a token for its fee, but did not sign it`,
      );
    const receipt = receipts[index]?.raw ?? {};
    const paid = (key: string) => readOptionalQuantity(receipt[key], key);
    const hasDataFee = dataFees.some((key) => paid(key) > 0n);
    const blobs = type === blobType ? readList(raw["blobVersionedHashes"], "blobs").length : 0;
    const hasBlobFee = paid("blobGasUsed") * paid("blobGasPrice") > 0n;
    const isBlobFeeRight = paid("blobGasUsed") === gasPerBlob * BigInt(blobs);
    if ((hasDataFee && !dataFeeFamilies.includes(family)) || (hasBlobFee && !isBlobFeeRight))
      throw refusedBlock(block, `transaction ${index} did not pay all that its receipt says`);
  }
}

/**
 * The receipts with what each transaction paid for a unit of gas. No root covers it, but it follows from what the sender
 * signed and from the block's base fee (EIP-1559). Receipts of before London do not say it.
 * @throws Fault `rpc_inconsistent` where a receipt says another price
 */
export function withPrices(
  { family }: Pick<ChainProfile, "family">,
  { block, receipts }: Priced,
): RpcReceipt[] {
  return receipts.map((receipt, index) => {
    const transaction = block.transactions[index];
    const price = transaction === undefined ? null : priceOf(transaction, block, receipt);
    if (price === null) return receipt;
    if (!isThere(receipt.raw, "effectiveGasPrice")) return { ...receipt, effectiveGasPrice: price };
    const said = receipt.effectiveGasPrice;
    // Nitro takes no tips unless its owner says so (OffchainLabs/nitro, DropTip).
    const isUntipped = family === "Arbitrum Nitro" && said === block.baseFee;
    if (said === price || isUntipped) return receipt;
    throw refusedBlock(block, `transaction ${index} did not pay ${said} for a unit of gas`);
  });
}

/** Null for types that nobody pays for so, or whose price is not known here. */
function priceOf(
  { type, raw }: RpcTransaction,
  block: RpcBlock,
  receipt: RpcReceipt,
): bigint | null {
  const read = (key: string) => readQuantity(raw[key], key);
  switch (type) {
    case 0:
    case 1:
      return read("gasPrice");
    case 2:
    case 3:
    case 4:
    case txTypes.stable:
      return capped(read, block.baseFee);
    case txTypes.celo:
      // CIP-66: in the token that pays; the receipts' root covers it.
      return isThere(receipt.raw, "baseFee")
        ? capped(read, readQuantity(receipt.raw["baseFee"], "baseFee"))
        : null;
    default:
      return null;
  }
}

function capped(read: (key: string) => bigint, baseFee: bigint): bigint {
  const most = read("maxFeePerGas");
  const asked = baseFee + read("maxPriorityFeePerGas");
  return asked < most ? asked : most;
}
