import type { DueOpening, ReadOpening } from "../../domain/watch/opening.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";
import { inTransaction } from "../postgres/transaction.ts";
import { isKnown } from "./open-balances.ts";

/**
 * Reads balances whose height is confirmed and whose opening is still unread
 * (docs/invariants.md#i9), `limit` at most. By and large the oldest heights come first, since the
 * ids of changes sort by time. This is asked after every block. So the recursive part is a loose
 * index scan. It steps from one change with an unread opening to the next. It goes neither through
 * the changes of all time nor through one import's balances: these may be a hundred thousand.
 */
export async function readDueOpenings(
  db: Database,
  chainName: string,
  limit: number,
): Promise<DueOpening[]> {
  return statementsOf(db).$queryRaw<DueOpening[]>`
    WITH RECURSIVE syncing AS (
      (SELECT since_change_id AS id FROM balance WHERE opening IS NULL ORDER BY since_change_id LIMIT 1)
      UNION ALL
      SELECT (SELECT b.since_change_id FROM balance b
              WHERE b.opening IS NULL AND b.since_change_id > s.id ORDER BY b.since_change_id LIMIT 1)
      FROM syncing s WHERE s.id IS NOT NULL
    )
    SELECT b.wallet_id AS "walletId", b.asset_id AS "assetId", b.wallet_address AS "walletAddress",
      b.asset_address AS "assetAddress", c.position_number AS "atNumber", k.hash AS "atHash"
    FROM syncing
      CROSS JOIN LATERAL (
        SELECT w.id, w.position_number FROM watch_change w
          JOIN chain ON chain.name = w.chain_name AND w.position_number <= chain.confirmed_number
        WHERE w.id = syncing.id AND w.chain_name = ${chainName}
      ) c
      CROSS JOIN LATERAL (
        SELECT b.wallet_id, b.asset_id, w.address AS wallet_address, a.address AS asset_address FROM balance b
          JOIN wallet w ON w.id = b.wallet_id AND w.removed_at IS NULL
          JOIN asset a ON a.id = b.asset_id AND a.configured
        WHERE b.since_change_id = c.id AND b.opening IS NULL AND ${isKnown} LIMIT ${limit}
      ) b
      LEFT JOIN block k ON k.chain_name = ${chainName} AND k.number = c.position_number
    LIMIT ${limit}`;
}

/**
 * Records openings: the amount that was read, less everything that is counted on top of it. Counted
 * on top are the movements between the two heights. For an asset that came back to the
 * configuration, more is counted. These are transactions that were still pending then and have been
 * confirmed since. They may lie at or below the height, which is confirmed itself before it is
 * read.
 *
 * An opening is left out, and is due again, in four cases. Its block is no longer the stored one.
 * Its block lies below the height, which a reorg has taken away meanwhile. Its height is no longer
 * the one at which watching began. Another process has recorded it. So it is safe to repeat.
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
    // An undo holds this lock while it takes openings back: after it, the hashes compared below are
    // the stored ones. And the entries' seal takes it in any case: two that held it together would
    // wait for each other.
    await tx.$executeRaw`SELECT 1 FROM chain WHERE name = ${chainName} FOR NO KEY UPDATE`;
    return tx.$executeRaw`
      WITH read AS (
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
        WHERE r."readNumber" >= r."atNumber"
      ), recorded AS (
        UPDATE balance b SET opening = read.opening, opening_proof = read.proof, confirmed = b.confirmed + read.opening,
          opened_number = (SELECT confirmed_number FROM chain WHERE name = ${chainName})
        FROM read, watch_change c
        WHERE b.wallet_id = read."walletId" AND b.asset_id = read."assetId" AND b.opening IS NULL
          AND c.id = b.since_change_id AND c.position_number = read."atNumber"
        RETURNING b.wallet_id, b.asset_id, read.opening, read."atNumber"
      )
      INSERT INTO ledger_entry (wallet_id, asset_id, kind, amount, block_number)
      SELECT wallet_id, asset_id, 'opening', opening, "atNumber" FROM recorded`;
  });
}
