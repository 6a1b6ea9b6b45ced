import { type Address, zeroAddress } from "../../domain/chain/address.ts";
import type { Hash } from "../../domain/chain/block.ts";
import type { ChainProfile, NativeAlias } from "../../domain/chain/profile.ts";
import { txTypes } from "../../domain/chain/tx-types.ts";
import {
  type IncomeSource,
  type Movement,
  nativeAddress,
  noTransaction,
} from "../../domain/money/movement.ts";
import type { RpcBlock, RpcReceipt, RpcTransaction } from "../rpc/rpc-block.ts";
import { decodeLogs } from "./decode-logs.ts";
import type { BlockTransfers } from "./internal-transfers.ts";

/** What differs from chain to chain. */
export type DecodeRules = {
  aliases: ReadonlyMap<Address, NativeAlias["logs"]>;
  profile: Pick<ChainProfile, "paysFeeRecipient" | "withdrawals">;
};

/**
 * Every movement of a verified block. Of each transaction: coin made for it (L2 deposits, also of one that failed), its
 * top-level value (with any calldata, and only where it succeeded), its internal transfers, what its logs show, and
 * last what its sender paid for it, which is also due where it failed; each of these in order of execution. After
 * all of them what the block itself pays: beacon withdrawals and its fee recipient's priority fees. Which assets count
 * is for the match to say: they may change meanwhile.
 */
export function decodeBlock(
  answered: { block: RpcBlock; receipts: readonly RpcReceipt[]; internals: BlockTransfers | null },
  rules: DecodeRules,
): Movement[] {
  const { block, receipts, internals } = answered;
  const movements: Movement[] = [];
  let nextLogIndex = 0;
  for (const [index, transaction] of block.transactions.entries()) {
    const receipt = receipts[index];
    if (receipt === undefined) continue;
    addTopLevel(movements, transaction, receipt);
    for (const inner of internals?.[index] ?? []) movements.push(native(transaction.hash, inner));
    for (const moved of decodeLogs(receipt.logs, nextLogIndex, rules.aliases))
      movements.push(moved);
    nextLogIndex += receipt.logs.length;
    addFee(movements, transaction, receipt);
  }
  for (const paid of blockIncome(answered, rules)) movements.push(paid);
  return movements;
}

function addTopLevel(
  movements: Movement[],
  transaction: RpcTransaction,
  receipt: RpcReceipt,
): void {
  const { hash, from, value: amountAtomic, type } = transaction;
  // Arbitrum: the parent chain sends coin; it is made for the sender first, as by a deposit of the OP stack.
  const isArbitrumDeposit = type === txTypes.arbitrumDeposit;
  const made = isArbitrumDeposit ? amountAtomic : transaction.mint;
  if (made > 0n) movements.push(income(hash, { to: from, amountAtomic: made }, { kind: "mint" }));
  const to = transaction.to ?? receipt.contractAddress;
  if (receipt.isSuccess && amountAtomic > 0n && to !== null) {
    movements.push(native(hash, { from, to, amountAtomic, tracePath: null }));
  }
}

function native(
  txHash: Hash,
  moved: { from: Address; to: Address; amountAtomic: bigint; tracePath: string | null },
): Movement {
  const { from, to, amountAtomic, tracePath } = moved;
  const asset = nativeAddress;
  return { kind: "transfer", asset, txHash, from, to, amountAtomic, logIndex: null, tracePath };
}

function income(
  txHash: Hash,
  moved: { to: Address; amountAtomic: bigint },
  source: IncomeSource,
): Movement {
  const place = { logIndex: null, tracePath: null };
  return {
    ...moved,
    ...place,
    kind: "income",
    source,
    asset: nativeAddress,
    txHash,
    from: zeroAddress,
  };
}

/**
 * What the sender paid in the chain's own coin: nothing for a deposit of the OP stack, which has been paid for on the
 * parent chain, nor where Celo takes the fee in a token.
 */
function addFee(movements: Movement[], transaction: RpcTransaction, receipt: RpcReceipt): void {
  const { hash: txHash, from, type, raw } = transaction;
  if (type === txTypes.deposit || typeof raw["feeCurrency"] === "string") return;
  const amountAtomic = receipt.gasUsed * receipt.effectiveGasPrice + receipt.otherFees;
  if (amountAtomic === 0n) return;
  movements.push({
    ...native(txHash, { from, to: zeroAddress, amountAtomic, tracePath: null }),
    kind: "fee",
  });
}

function blockIncome(
  answered: { block: RpcBlock; receipts: readonly RpcReceipt[] },
  rules: DecodeRules,
): Movement[] {
  const { block, receipts } = answered;
  const { paysFeeRecipient, withdrawals: paidIn } = rules.profile;
  // Where a contract pays them in a token, its logs say so.
  const paid = paidIn === "native" ? block.withdrawals : [];
  const withdrawals = paid.map(({ index, address, amountAtomic }) =>
    income(noTransaction, { to: address, amountAtomic }, { kind: "withdrawal", index }),
  );
  if (!paysFeeRecipient || block.miner === zeroAddress) return withdrawals;
  let amountAtomic = 0n;
  for (const { effectiveGasPrice, gasUsed } of receipts) {
    // Below the base fee are only transactions that pay none, such as deposits of the OP stack.
    if (effectiveGasPrice > block.baseFee)
      amountAtomic += (effectiveGasPrice - block.baseFee) * gasUsed;
  }
  if (amountAtomic === 0n) return withdrawals;
  const source = { kind: "fees", blockHash: block.hash } as const;
  return [...withdrawals, income(noTransaction, { to: block.miner, amountAtomic }, source)];
}
