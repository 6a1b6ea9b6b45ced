import type { BlockHeader } from "../../domain/chain/block.ts";
import { Prisma } from "../generated/client.ts";
import { rowsOf } from "./block-rows.ts";

/** The spacing of cutoffs, in ms. Every time zone's day begins at a quarter of an hour. */
const quarterMs = 15 * 60_000;

/** For this many days every cutoff is kept. After them, the last block of each UTC day. */
const keptDays = 400;

/** The confirmed height before and after a commit, and the blocks that the commit adds. */
export type Raised = {
  chainName: string;
  /** Null: the chain had no confirmed height. */
  from: bigint | null;
  /** Null: the confirmed height stays. */
  to: bigint | null;
  /** Consecutive, oldest first. The statement does not see them in the table `block` yet. */
  added: readonly BlockHeader[];
};

/**
 * A part of a WITH clause, `cutoffs`. For each quarter of an hour that a rise of the confirmed
 * height ends, it stores the last confirmed block. With the block it stores the last seal of the
 * chain's journal. So entries that the rise confirms must be written before. A reorg removes no
 * cutoff (docs/decisions/0110-cutoffs.md).
 */
export function cutoffsSql({ chainName, from, to, added }: Raised): Prisma.Sql {
  return Prisma.sql`
    ended AS (
      SELECT number, hash, time, next_time FROM (
        SELECT number, hash, time, lead(number) OVER later AS next_number, lead(time) OVER later AS next_time FROM (
          SELECT number, hash, time FROM block WHERE chain_name = ${chainName} AND number BETWEEN ${from}::bigint AND ${to}::bigint
          UNION ALL
          SELECT number, hash, time FROM (${rowsOf(chainName, edgesOf(added))}) AS a(chain_name, number, hash, parent_hash, time)
          WHERE number <= ${to}::bigint
        ) known WINDOW later AS (ORDER BY number)
      ) paired
      WHERE next_number = number + 1
        AND date_bin('15 minutes', time, 'epoch') < date_bin('15 minutes', next_time, 'epoch')
    ), aged AS (
      DELETE FROM cutoff c USING (SELECT max(time) - make_interval(days => ${keptDays}) AS time FROM ended) old
      WHERE c.chain_name = ${chainName} AND c.time < old.time AND c.time > old.time - interval '7 days'
        AND date_trunc('day', c.time, 'UTC') = date_trunc('day', c.next_time, 'UTC')
    ), cutoffs AS (
      INSERT INTO cutoff (chain_name, number, hash, time, next_time, seal)
      SELECT ${chainName}, number, hash, time, next_time,
        COALESCE((SELECT max(s.number) FROM ledger_seal s WHERE s.chain_name = ${chainName}), 0)
      FROM ended
      ON CONFLICT DO NOTHING
    )`;
}

/** The headers on both sides of each end of a quarter, and the outermost two. */
function edgesOf(headers: readonly BlockHeader[]): BlockHeader[] {
  const quarterOf = (header: BlockHeader | undefined) =>
    header === undefined ? null : Math.floor(header.timeMs / quarterMs);
  return headers.filter((header, place) => {
    const quarter = quarterOf(header);
    return quarterOf(headers[place - 1]) !== quarter || quarterOf(headers[place + 1]) !== quarter;
  });
}
