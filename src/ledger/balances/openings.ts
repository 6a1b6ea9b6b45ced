import type { DueOpening } from "../../domain/watch/opening.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";
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
