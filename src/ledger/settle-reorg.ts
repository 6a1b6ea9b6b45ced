import { movePending, readWeights, writeEntries } from "./move-balances.ts";
import { type MovedRow, toWeight } from "./moved-row.ts";
import { ring } from "./ring.ts";
import type { Statements } from "./statements.ts";

/**
 * Tells what a reorg took away, once the new branch has reached the old height: a transaction that is still orphaned
 * is on no block. Pending becomes dropped; completed becomes reversed, what it weighed is taken back, and a new round begins.
 * What is no longer watched was not looked for on the new branch: a pending one is dropped, a completed one stays.
 */
export async function settleReorg(
  tx: Statements,
  chainName: string,
): Promise<{ dropped: number; reversed: number; rang: number }> {
  await tx.$executeRaw`
    UPDATE transaction t SET orphaned = false
    FROM wallet w, asset a
    WHERE t.chain_name = ${chainName} AND t.orphaned AND t.status = 'completed'
      AND w.id = t.wallet_id AND a.id = t.asset_id AND (w.removed_at IS NOT NULL OR NOT a.configured)`;

  const dropped = await leave(tx, chainName, { from: "pending", to: "dropped" });
  await movePending(
    tx,
    dropped.map((row) => toWeight(row, -1n)),
  );
  const droppedRing = await ring(tx, {
    state: "dropped",
    transactionIds: dropped.map((row) => row.id),
  });

  const reversed = await leave(tx, chainName, { from: "completed", to: "reversed" });
  const reversedIds = reversed.map((row) => row.id);
  const weights = await readWeights(tx, reversedIds);
  const weighing = reversed.flatMap((row) => {
    const weight = weights.get(row.id) ?? 0n;
    return weight === 0n ? [] : [{ ...row, effectAtomic: -weight }];
  });
  await writeEntries(tx, "reversal", weighing);
  const reversedRing = await ring(tx, { state: "reversed", transactionIds: reversedIds });
  // Only now: the reversal is told in the round it ends.
  await tx.$executeRaw`UPDATE transaction SET round = round + 1 WHERE id = ANY(${reversedIds}::uuid[])`;
  return {
    dropped: dropped.length,
    reversed: reversed.length,
    rang: droppedRing.rang + reversedRing.rang,
  };
}

async function leave(
  tx: Statements,
  chainName: string,
  status: { from: string; to: string },
): Promise<MovedRow[]> {
  return tx.$queryRaw<MovedRow[]>`
    WITH gone AS (
      UPDATE transaction SET status = ${status.to}, orphaned = false
      WHERE chain_name = ${chainName} AND orphaned AND status = ${status.from}
      RETURNING id, wallet_id, asset_id, direction, amount, block_number, ordinal
    )
    SELECT id, wallet_id AS "walletId", asset_id AS "assetId", direction, amount::text, block_number AS "blockNumber"
    FROM gone ORDER BY block_number, ordinal`;
}
