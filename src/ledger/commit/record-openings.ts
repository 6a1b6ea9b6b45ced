import type { BalanceKey } from "../../domain/money/balance.ts";
import type { ReadOpening } from "../../domain/watch/opening.ts";
import { notifyBalances } from "../notifications/notify-crossings.ts";
import type { Database } from "../postgres/database.ts";
import { inTransaction } from "../postgres/transaction.ts";

/**
 * Records openings. An opening is the balance that was read at `readNumber`, less the transactions
 * that the ledger counts beside it. Those are the transactions between `atNumber` and `readNumber`.
 * For an asset that came back to the configuration they also include older ones. These are
 * transactions that were pending when it came back, and have been confirmed since.
 *
 * Skips an opening, which stays due, in these cases:
 * - The block `readNumber` is no longer the stored one.
 * - `readNumber` is below the height `atNumber`, after a reorg.
 * - Watching now begins at another height.
 * - Another process has recorded the opening.
 * - A transaction of the balance at or below `readNumber` waits for its proof. The ledger cannot
 *   know whether the amount includes it.
 *
 * So it is safe to repeat.
 * @returns how many were recorded
 */
export async function recordOpenings(
  db: Database,
  chainName: string,
  openings: readonly ReadOpening[],
): Promise<number> {
  if (openings.length === 0) return 0;
  const rows = openings.map((opening) => ({
    walletId: opening.walletId,
    assetId: opening.assetId,
    amount: opening.amountAtomic.toString(),
    atNumber: opening.atNumber.toString(),
    readNumber: opening.readNumber.toString(),
    readHash: opening.readHash,
    proof: opening.proof,
  }));
  return inTransaction(db, async (tx) => {
    // An undo of blocks holds this lock too, so the hashes that are compared below stay the stored
    // ones. The seal of the entries takes the lock in any case. Taking a shared lock first could
    // deadlock.
    await tx.$lockRaw`SELECT 1 FROM chain WHERE name = ${chainName} FOR NO KEY UPDATE`;
    // With IS NULL the planner may choose an index of unread balances. For each opening it would
    // read all those of a whole import.
    const recorded = await tx.$queryRaw<BalanceKey[]>`
      WITH read AS MATERIALIZED (
        SELECT r.*, r.amount
          - COALESCE((
              SELECT sum(CASE t.direction WHEN 'in' THEN t.amount ELSE -t.amount END) FROM transaction t
              WHERE t.wallet_id = r."walletId" AND t.asset_id = r."assetId" AND NOT t.orphaned
                AND t.status = 'pending' AND t.block_number > r."atNumber" AND t.block_number <= r."readNumber"), 0)
          - COALESCE((
              SELECT sum(e.amount) FROM transaction t JOIN ledger_entry e ON e.transaction_id = t.id
              WHERE t.wallet_id = r."walletId" AND t.asset_id = r."assetId" AND NOT t.orphaned
                AND t.status = 'completed' AND t.block_number <= r."readNumber"), 0)
          AS opening
        FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r(
          "walletId" uuid, "assetId" int, amount numeric, "atNumber" bigint, "readNumber" bigint, "readHash" text, proof text)
          JOIN block k ON k.chain_name = ${chainName} AND k.number = r."readNumber" AND k.hash = r."readHash"
        WHERE r."readNumber" >= r."atNumber" AND NOT EXISTS (
          SELECT FROM transaction t
          WHERE t.wallet_id = r."walletId" AND t.asset_id = r."assetId" AND NOT t.orphaned
            AND t.status = 'pending' AND t.unproven AND t.block_number <= r."readNumber")
      ), recorded AS (
        UPDATE balance b SET opening = read.opening, opening_proof = read.proof, confirmed = b.confirmed + read.opening,
          opened_number = (SELECT confirmed_number FROM chain WHERE name = ${chainName})
        FROM read, watch_change c
        WHERE b.wallet_id = read."walletId" AND b.asset_id = read."assetId" AND num_nulls(b.opening) = 1
          AND c.id = b.since_change_id AND c.position_number = read."atNumber"
        RETURNING b.wallet_id, b.asset_id, read.opening, read."atNumber"
      )
      INSERT INTO ledger_entry (wallet_id, asset_id, kind, amount, block_number)
      SELECT wallet_id, asset_id, 'opening', opening, "atNumber" FROM recorded
      RETURNING wallet_id AS "walletId", asset_id AS "assetId"`;
    await notifyBalances(tx, chainName, recorded);
    return recorded.length;
  });
}
