import { Prisma } from "../generated/client.ts";

/**
 * The part of a confirmed balance `b` of a wallet `w` that arose above a height. That is what
 * transactions weigh, each in its present block: a reorg may have moved it there after its entry.
 * Openings are not counted. They belong to the height from which on the balance is watched, and no
 * lower one is asked for (see `since`). With the chain's name, the planner reads the chain's newest
 * blocks in place of all that the wallet ever had.
 * @param since SQL: the height from which on the balance is watched, if `height` may be lower
 */
export function confirmedAbove(height: bigint, since: Prisma.Sql | null): Prisma.Sql {
  const isWatched = since === null ? Prisma.empty : Prisma.sql`AND t.block_number > ${since}`;
  return Prisma.sql`COALESCE((
      SELECT sum(e.amount) FROM transaction t JOIN ledger_entry e ON e.transaction_id = t.id
      WHERE t.chain_name = w.chain_name AND t.wallet_id = b.wallet_id AND t.asset_id = b.asset_id
        AND t.status = 'completed' AND t.block_number > ${height} ${isWatched}), 0)`;
}
