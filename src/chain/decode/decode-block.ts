import type { Hash } from "../../domain/chain/block.ts";
import type { ChainProfile } from "../../domain/chain/profile.ts";
import { txTypes } from "../../domain/chain/tx-types.ts";
import { type Movement, nativeAddress } from "../../domain/money/movement.ts";
import type { RpcBlock, RpcReceipt, RpcTransaction } from "../rpc/rpc-block.ts";
import { type Aliases, coinMoves, topLevel } from "./coin-logs.ts";
import { coinMade, syncedMoves } from "./coin-made.ts";
import { decodeLogs } from "./decode-logs.ts";
import { blockIncome } from "./income/block-income.ts";
import { chargeOf } from "./income/fees.ts";
import { coinTransfer, feePaid } from "./income/movement-makers.ts";
import { readTip20 } from "./tip20-logs.ts";
import { type BlockTraces, mayMove, type TracedTransaction, untouched } from "./trace-moves.ts";

/** The rules of decoding that differ from chain to chain. */
export type DecodeRules = {
  aliases: Aliases;
  profile: Pick<
    ChainProfile,
    | "family"
    | "paysFeeRecipient"
    | "atomicCoin"
    | "withdrawals"
    | "keepsFailedLogs"
    | "mayHaveDataFeeInGas"
  >;
};

type Executed = {
  block: RpcBlock;
  transaction: RpcTransaction;
  receipt: RpcReceipt;
  traced: TracedTransaction;
};

/**
 * Decodes all movements of a verified block. Those of each transaction come in this order, each
 * kind in order of execution:
 * - coin made for it (L2 deposits, also of a failed one);
 * - its own value, if it succeeded, and its internal transfers;
 * - the movements that its logs show, if it succeeded or the chain keeps logs of failed ones;
 * - its fee, also of a failed one.
 *
 * The payments of the block itself come last. All assets are decoded: the match decides later which
 * ones count, because they may change. `systemHash`: the transaction that stands for what the chain
 * itself brought, if the chain has one.
 */
export function decodeBlock(
  answered: {
    block: RpcBlock;
    receipts: readonly RpcReceipt[];
    traces: BlockTraces | null;
    systemHash?: Hash | null;
  },
  rules: DecodeRules,
): Movement[] {
  const { block, receipts, traces } = answered;
  const movements: Movement[] = [];
  for (const [index, transaction] of block.transactions.entries()) {
    const receipt = receipts[index];
    if (receipt === undefined) continue;
    const traced = traces?.transactions[index] ?? untouched;
    const counting = withCountingLogs(transaction, receipt, rules.profile);
    const executed = { block, transaction, receipt: counting, traced };
    const isSystem =
      transaction.type === txTypes.stateSync || transaction.hash === answered.systemHash;
    for (const movement of decodeTransaction(executed, isSystem, rules)) movements.push(movement);
  }
  const rewards = traces?.rewards ?? [];
  for (const paid of blockIncome({ block, receipts, rewards }, rules.profile)) movements.push(paid);
  return movements;
}

/** The receipt without logs if those of a failed transaction do not count. */
function withCountingLogs(
  transaction: RpcTransaction,
  receipt: RpcReceipt,
  { keepsFailedLogs }: Pick<ChainProfile, "keepsFailedLogs">,
): RpcReceipt {
  return keepsFailedLogs || mayMove(transaction, receipt) ? receipt : { ...receipt, logs: [] };
}

function decodeTransaction(
  executed: Executed,
  isSystem: boolean,
  { aliases, profile }: DecodeRules,
): Movement[] {
  const { transaction, receipt, traced } = executed;
  const { hash } = transaction;
  const shown = [...topLevel(transaction, receipt), ...traced.moves];
  const synced = isSystem ? syncedMoves(receipt, shown) : [];
  const tokens = decodeLogs(receipt.logs, (address) => aliases.has(address));
  const charge = chargeOf(profile, {
    transaction,
    receipt,
    tokens: profile.family === "Tempo" ? readTip20(tokens, receipt.logs) : tokens,
    coin: coinMoves([...shown, ...synced], executed, aliases),
  });
  const fees = (traced.fees ?? []).map((paid) => feePaid(hash, { ...paid, asset: nativeAddress }));
  return [
    ...coinMade(transaction, receipt, traced),
    ...charge.coin.map((move) => coinTransfer(hash, move)),
    ...charge.tokens,
    ...(charge.fee === null ? [] : [charge.fee]),
    ...fees,
  ];
}
