import type { Position } from "../../domain/chain/block.ts";
import {
  confirmation,
  type Entry,
  moveBalances,
  pendingMoves,
  readWeights,
  type ThresholdBalances,
} from "../balances/move-balances.ts";
import { isKnown } from "../balances/open-balances.ts";
import { Prisma } from "../generated/client.ts";
import { type EnteredBy, notify } from "../notifications/notify.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import type { TxStatements } from "../postgres/statements.ts";
import { moveTransactions } from "../transactions/move-transactions.ts";
import type { MovedRow } from "../transactions/transaction-row.ts";

/**
 * Keeps transactions whose block is on the new branch too, where that branch was not searched for
 * them. A block is not searched for what began to be watched in it, or above it. The transaction is
 * there because its asset has come back, or because a history found it. Call it before
 * `settleReorg`, once a branch is as high as the one that it took the place of.
 *
 * An opening that was read since includes what they moved. So a completed one weighs nothing beside
 * it, and a pending one is not kept. Balances with a threshold that this moves are added to
 * `touched`.
 * @param tip the end of the branch, whose block need not be stored yet
 */
export async function keepUnsearched(
  tx: TxStatements,
  chainName: string,
  tip: Position,
  touched: ThresholdBalances,
): Promise<void> {
  const kept = await moveTransactions(
    tx,
    Prisma.sql`
      SET orphaned = false
      FROM wallet w, asset a, watch_change added, watch_change configured
      WHERE transaction.chain_name = ${chainName} AND transaction.orphaned
        AND w.id = transaction.wallet_id AND added.id = w.added_change_id
        AND a.id = transaction.asset_id AND configured.id = a.watch_change_id
        AND transaction.block_number <= GREATEST(added.position_number, configured.position_number)
        AND (transaction.block_hash = ${tip.hash} OR EXISTS (
          SELECT FROM block k WHERE k.chain_name = transaction.chain_name
            AND k.number = transaction.block_number AND k.hash = transaction.block_hash))
        AND (transaction.status = 'completed' OR NOT EXISTS (
          SELECT FROM balance b WHERE b.wallet_id = w.id AND b.asset_id = a.id AND b.opening IS NOT NULL AND ${isKnown}))`,
  );
  if (kept.length === 0) return;
  const weights = await readWeights(tx, kept);
  const opened = await tx.$queryRaw<{ id: string }[]>`
    SELECT r.id FROM unnest(${arrayLiteral(kept.map(({ id }) => id))}::uuid[],
        ${arrayLiteral(kept.map(({ walletId }) => walletId))}::uuid[],
        ${arrayLiteral(kept.map(({ assetId }) => assetId))}::int[]) AS r(id, wallet_id, asset_id)
      JOIN balance b ON b.wallet_id = r.wallet_id AND b.asset_id = r.asset_id AND b.opening IS NOT NULL`;
  const inOpening = new Set(opened.map(({ id }) => id));
  const rows = kept.filter(({ id }) => inOpening.has(id));
  await moveBalances(tx, { entries: takenBack(rows, weights), pending: [] }, touched);
}

/** The entries that take transactions' weights back. */
function takenBack(rows: readonly MovedRow[], weights: ReadonlyMap<string, bigint>): Entry[] {
  return rows.flatMap((row) => {
    const weight = weights.get(row.id) ?? 0n;
    const taken = { ...confirmation(row), kind: "reversal" as const, effectAtomic: -weight };
    return weight === 0n ? [] : [taken];
  });
}

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
  const entries = takenBack(reversed, weights);
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
