import { Prisma } from "../generated/client.ts";

/**
 * The part of a confirmed balance `b` that arose above a height. A transaction counts in its
 * present block, since a reorg may have moved it there after its entry. `height` is SQL.
 */
export function confirmedAbove(height: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(COALESCE((
      SELECT sum(e.amount) FROM transaction t JOIN ledger_entry e ON e.transaction_id = t.id
      WHERE t.wallet_id = b.wallet_id AND t.asset_id = b.asset_id AND t.status = 'completed'
        AND t.block_number > ${height}), 0) + COALESCE((
      SELECT sum(e.amount) FROM ledger_entry e
      WHERE e.wallet_id = b.wallet_id AND e.asset_id = b.asset_id AND e.transaction_id IS NULL
        AND e.block_number > ${height}), 0))`;
}
