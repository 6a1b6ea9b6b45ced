import type { Hash } from "../../domain/chain/block.ts";
import type { ChainProfile } from "../../domain/chain/profile.ts";
import { txTypes } from "../../domain/chain/tx-types.ts";
import type { RpcBlock, RpcReceipt, RpcTransaction } from "../rpc/rpc-block.ts";
import { readOptionalQuantity } from "../rpc/rpc-value.ts";
import { fastlzLength } from "./encoding/fastlz.ts";
import { toBytes } from "./encoding/fields.ts";
import { encodeLoose } from "./encoding/transaction.ts";
import { isPriceSaid } from "./prove-fees.ts";

type Proved = { block: RpcBlock; receipts: readonly RpcReceipt[] };

/** True if data that the block's hash covers shows a receipt's other fee, besides gas. */
type Shows = (transaction: RpcTransaction, receipt: RpcReceipt) => boolean;

/**
 * The transactions with a fee that only the endpoint claims:
 * - a blob price that does not follow from the header;
 * - an L2's data fee that does not follow from the block's first transaction, which describes the
 *   parent chain;
 * - Arbitrum Nitro's gas price, if the receipt leaves it out.
 *
 * None of them is refused, because a fork may compute fees in an unknown way. The transactions must
 * be proved.
 */
export function unshownFees(
  { family }: Pick<ChainProfile, "family">,
  { block, receipts }: Proved,
): Set<Hash> {
  const unshown = new Set<Hash>();
  let shows: Shows | null = null;
  for (const [index, receipt] of receipts.entries()) {
    const transaction = block.transactions[index];
    if (transaction === undefined) continue;
    // No block shows whether the chain's owner takes tips.
    if (family === "Arbitrum Nitro" && !isPriceSaid(receipt)) unshown.add(transaction.hash);
    if (receipt.otherFees === 0n) continue;
    shows ??= family === "OP stack" ? dataFeesOf(block) : blobFeesOf(block);
    if (!shows(transaction, receipt)) unshown.add(transaction.hash);
  }
  return unshown;
}

/**
 * The strength with which the blob price follows the excess of blobs, and since when, in seconds
 * (EIP-4844, EIP-7691, EIP-7892). These are Ethereum Mainnet's values: Cancun, Prague, and later
 * forks that changed only this.
 */
const blobForks: readonly (readonly [since: bigint, fraction: bigint])[] = [
  [1_767_747_671n, 11_684_671n],
  [1_765_290_071n, 8_346_193n],
  [1_746_612_311n, 5_007_716n],
  [1_710_338_135n, 3_338_477n],
];

function blobFeesOf({ raw, timeMs }: RpcBlock): Shows {
  const seconds = BigInt(Math.floor(timeMs / 1_000));
  const fraction = blobForks.find(([since]) => since <= seconds)?.[1];
  const excess = readOptionalQuantity(raw["excessBlobGas"], "excessBlobGas");
  const isPriced = fraction !== undefined && excess <= mostExponent * fraction;
  const price = isPriced ? fakeExponential(excess, fraction) : null;
  return (_, { raw: receipt, otherFees }) => {
    const gas = readOptionalQuantity(receipt["blobGasUsed"], "blobGasUsed");
    return price !== null && otherFees === gas * price;
  };
}

/**
 * No blob can cost e to a higher power of this. Without a proof of the header, the excess is only
 * the endpoint's claim. A large one would take for ever to compute.
 */
const mostExponent = 100n;

/** EIP-4844: e to the power of `numerator / denominator`, by its series, in integers. */
function fakeExponential(numerator: bigint, denominator: bigint): bigint {
  let sum = 0n;
  let term = denominator;
  for (let index = 1n; term > 0n; index += 1n) {
    sum += term;
    term = (term * numerator) / (denominator * index);
  }
  return sum / denominator;
}

/**
 * The weight of a transaction's data since Fjord (specs.optimism.io, Fjord: L1 cost fees), in
 * millionths of a byte.
 */
const minSize = 100_000_000n;
const intercept = 42_585_600n;
const perByte = 836_500n;

/**
 * The parent chain's attributes in the OP stack's first transaction (specs.optimism.io, L1
 * attributes), from Ecotone on. Null: the call is not known.
 */
function attributesOf({ transactions }: RpcBlock) {
  const [first] = transactions;
  if (first?.type !== txTypes.deposit) return null;
  const bytes = toBytes(String(first.raw["input"]));
  const numberAt = (from: number, to: number) =>
    BigInt(`0x${Buffer.from(bytes.subarray(from, to)).toString("hex") || "0"}`);
  const call = Buffer.from(bytes.subarray(0, 4)).toString("hex");
  const operator = { constant: 0n, perGas: (_: bigint) => 0n };
  switch (call) {
    // setL1BlockValuesEcotone, Isthmus, Jovian.
    case "440a5e20":
      break;
    case "098999be":
      operator.constant = numberAt(168, 176);
      operator.perGas = (gas) => (gas * numberAt(164, 168)) / 1_000_000n;
      break;
    case "3db6be2b":
      operator.constant = numberAt(168, 176);
      operator.perGas = (gas) => gas * numberAt(164, 168) * 100n;
      break;
    default:
      return null;
  }
  const perWeight = numberAt(4, 8) * numberAt(36, 68) * 16n + numberAt(8, 12) * numberAt(68, 100);
  return { perWeight, operator };
}

function dataFeesOf(block: RpcBlock): Shows {
  const attributes = attributesOf(block);
  return (transaction, { otherFees, gasUsed }) => {
    const bytes = attributes === null ? null : encodeLoose(transaction);
    if (attributes === null || bytes === null) return false;
    const { perWeight, operator } = attributes;
    const size = BigInt(fastlzLength(bytes)) * perByte - intercept;
    const data = ((size > minSize ? size : minSize) * perWeight) / 1_000_000_000_000n;
    return otherFees === data + operator.constant + operator.perGas(gasUsed);
  };
}
