import type { ChainProfile } from "../../domain/chain/profile.ts";
import { isPrepaid, txTypes } from "../../domain/chain/tx-types.ts";
import type { RpcBlock, RpcReceipt, RpcTransaction } from "../rpc/rpc-block.ts";
import { readList, readOptionalQuantity, readQuantity } from "../rpc/rpc-value.ts";
import { isThere } from "./encoding/fields.ts";
import { refusedBlock } from "./refuse-block.ts";

/** A block and its receipts, which name the gas price that each transaction paid. */
type Priced = { block: RpcBlock; receipts: readonly RpcReceipt[] };

/** Families whose chains also charge for data and for the operator. An unknown chain may do so. */
const dataFeeFamilies: readonly string[] = ["OP stack", "Scroll", "unknown"];

const dataFees = ["l1Fee", "operatorFeeConstant", "operatorFeeScalar"];

/** EIP-4844. */
const blobType = 3;
const gasPerBlob = 131_072n;

/**
 * Refuses fees that a transaction of its type or chain cannot have paid. These are fees for blobs
 * that it did not bring, and data fees on a chain without them. Other fees remain a claim of the
 * endpoint: the price of blob gas, and an L2's data fee.
 * @throws Fault `rpc_inconsistent`
 */
export function proveOtherFees(
  { family }: Pick<ChainProfile, "family">,
  { block, receipts }: Priced,
): void {
  for (const [index, { type, raw }] of block.transactions.entries()) {
    // Transactions of Celo before it became an L2 could name a token. They have other bytes.
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
 * Adds to receipts the gas price that each transaction paid. No root covers it, but it follows from
 * what the sender signed and from the block's base fee (EIP-1559). Receipts from before London do
 * not have it, and some nodes leave it out.
 * @param areProved whether the transactions are proved. If not, a receipt's price is only a claim
 * @throws Fault `rpc_inconsistent` if a receipt has another price, or if the price is unknown
 */
export function withPrices(
  { family }: Pick<ChainProfile, "family">,
  { block, receipts }: Priced,
  areProved = true,
): RpcReceipt[] {
  return receipts.map((receipt, index) => {
    const transaction = block.transactions[index];
    if (transaction === undefined) return receipt;
    if (!isPriceSaid(receipt)) {
      const price = signedPrice(family, transaction, { block, receipt });
      if (price !== null) return { ...receipt, effectiveGasPrice: price };
      if (receipt.gasUsed === 0n || hasNoPrice(family, transaction)) return receipt;
      throw refusedBlock(block, `nothing says what transaction ${index} paid for a unit of gas`);
    }
    const price = areProved ? priceOf(transaction, block, receipt) : null;
    const said = receipt.effectiveGasPrice;
    // Nitro takes no tips unless its owner says so (OffchainLabs/nitro, DropTip).
    const isUntipped = family === nitro && said === block.baseFee;
    if (price === null || said === price || isUntipped) return receipt;
    throw refusedBlock(block, `transaction ${index} did not pay ${said} for a unit of gas`);
  });
}

const nitro = "Arbitrum Nitro";

/** True if a receipt names its gas price. */
export function isPriceSaid({ raw }: Pick<RpcReceipt, "raw">): boolean {
  return isThere(raw, "effectiveGasPrice");
}

/**
 * The price of a receipt that has none; null: the signed fields do not give it. It is never the
 * `gasPrice` of a transaction with a cap: nodes write their own computation there, or the cap.
 */
function signedPrice(
  family: string,
  transaction: RpcTransaction,
  { block, receipt }: { block: RpcBlock; receipt: RpcReceipt },
): bigint | null {
  // No block shows whether the chain's owner takes tips. Usually there are none.
  if (family === nitro && block.baseFee > 0n && !isPrepaid(transaction.type)) return block.baseFee;
  const known = priceOf(transaction, block, receipt);
  if (known !== null || transaction.type === txTypes.celo) return known;
  const read = reader(transaction);
  return hasNoPrice(family, transaction) ? null : capped(read, block.baseFee);
}

/** True if the gas is paid for on the parent chain, or by what a log or a call shows. */
function hasNoPrice(family: string, { type }: RpcTransaction): boolean {
  const isPaidByLogs = family === "Tempo" || family === "ZK stack";
  const isOfChain = type === txTypes.deposit || type === txTypes.stateSync;
  return isPaidByLogs || isOfChain || isPrepaid(type) || type === txTypes.arbitrumInternal;
}

/**
 * The price that follows from the signed fields. Null: the type is not paid for in this way, its
 * price is unknown, or a signed field is missing.
 */
function priceOf(transaction: RpcTransaction, block: RpcBlock, receipt: RpcReceipt): bigint | null {
  const read = reader(transaction);
  switch (transaction.type) {
    case 0:
    case 1:
      return read("gasPrice");
    case 2:
    case 3:
    case 4:
    case txTypes.stable:
      return capped(read, block.baseFee);
    case txTypes.celo:
      // CIP-66: in the token with which the fee is paid. The receipts' root covers it.
      return isThere(receipt.raw, "baseFee")
        ? capped(read, readQuantity(receipt.raw["baseFee"], "baseFee"))
        : null;
    default:
      return null;
  }
}

type Read = (key: string) => bigint | null;

function reader({ raw }: RpcTransaction): Read {
  return (key) => (isThere(raw, key) ? readQuantity(raw[key], key) : null);
}

function capped(read: Read, baseFee: bigint): bigint | null {
  const most = read("maxFeePerGas");
  const tip = read("maxPriorityFeePerGas");
  if (most === null || tip === null) return null;
  return baseFee + tip < most ? baseFee + tip : most;
}
