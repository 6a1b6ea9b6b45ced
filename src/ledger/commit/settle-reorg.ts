import {
  confirmation,
  moveBalances,
  pendingMoves,
  readWeights,
  type ThresholdBalances,
} from "../balances/move-balances.ts";
import { Prisma } from "../generated/client.ts";
import { type EnteredBy, notify } from "../notifications/notify.ts";
import type { TxStatements } from "../postgres/statements.ts";
import { moveTransactions } from "../transactions/move-transactions.ts";
import type { MovedRow } from "../transactions/transaction-row.ts";

/**
 * Notifies of the transactions that a reorg took away, once the new branch has reached the old
 * height. A transaction that is still orphaned is on no block then. Pending becomes dropped.
 * Completed becomes reversed, its weight is taken back, and a new round begins. The new branch was
 * not searched for wallets and assets that are no longer watched. A pending transaction of theirs
 * is dropped, a completed one stays. Balances with a threshold that this moves are added to
 * `touched`.
 */
export async function settleReorg(
  tx: TxStatements,
  chainName: string,
  touched: ThresholdBalances,
): Promise<{ dropped: number; reversed: number; notified: number }> {
  await tx.$executeRaw`
    UPDATE transaction t SET orphaned = false
    FROM wallet w, asset a
    WHERE t.chain_name = ${chainName} AND t.orphaned AND t.status = 'completed'
      AND w.id = t.wallet_id AND a.id = t.asset_id AND (w.removed_at IS NOT NULL OR NOT a.configured)`;
  const dropped = await leave(tx, chainName, { from: "pending", to: "dropped" });
  const reversed = await leave(tx, chainName, { from: "completed", to: "reversed" });
  const reversedIds = reversed.map(({ id }) => id);
  const weights = await readWeights(tx, reversed);
  const entries = reversed.flatMap((row) => {
    const weight = weights.get(row.id) ?? 0n;
    const taken = { ...confirmation(row), kind: "reversal" as const, effectAtomic: -weight };
    return weight === 0n ? [] : [taken];
  });
  await moveBalances(tx, { entries, pending: pendingMoves(dropped, -1n) }, touched);
  const { notified } = await notify(tx, { dropped, reversed } satisfies EnteredBy<"reorg">);
  // Only now: the reversal is notified in the round that it ends.
  await tx.$executeRaw`UPDATE transaction SET round = round + 1 WHERE id = ANY(${reversedIds}::uuid[])`;
  return { dropped: dropped.length, reversed: reversed.length, notified };
}

function leave(
  tx: TxStatements,
  chainName: string,
  status: { from: string; to: string },
): Promise<MovedRow[]> {
  return moveTransactions(
    tx,
    Prisma.sql`
      SET status = ${status.to}, orphaned = false
      WHERE chain_name = ${chainName} AND orphaned AND status = ${status.from}`,
  );
}
