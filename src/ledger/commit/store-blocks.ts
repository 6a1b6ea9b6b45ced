import { type BlockHeader, checkpointBlocks } from "../../domain/chain/block.ts";
import { lastOf } from "../../domain/last-of.ts";
import { rowsOf } from "../chain/block-rows.ts";
import { toBlockRow } from "../chain/chain-state.ts";
import { cutoffsSql } from "../chain/cutoffs.ts";
import { Prisma } from "../generated/client.ts";
import { preparedByIndex } from "../postgres/statement.ts";
import type { TxStatements } from "../postgres/statements.ts";

/**
 * Keeps this many headers below the position, and all headers that are not confirmed. A deeper
 * reorg stops the chain. No node known to us reorganises so deep.
 */
const windowBlocks = 512n;

/**
 * Also keeps headers as old as this, in ms. Where blocks come fast, 512 of them are a short time.
 */
const windowMs = 30 * 60_000;

type Stored = {
  chainName: string;
  /** Consecutive, oldest first. The last one is the new position. */
  headers: readonly [BlockHeader, ...BlockHeader[]];
  headNumber: bigint;
  /** The confirmed height before and after. Null: there is none. */
  confirmed: { from: bigint | null; to: bigint | null };
  /** True if the reorg that was replayed is settled. */
  isSettled: boolean;
  /**
   * The headers that stay, besides those of the window:
   * - `openings`: those in whose blocks an opening balance is to be read. A range may pass such a
   *   block before anybody can read it. At the head the window leaves enough time, and without this
   *   question a commit takes 2.8 ms instead of 3.3.
   * - `all`: while blocks are read again. The settlement asks which of them are there again.
   */
  keeps: "nothing" | "openings" | "all";
};

/** True for a header `k` in whose block no opening balance is still to be read. */
const isOpened = Prisma.sql`
  NOT EXISTS (
    SELECT FROM watch_change c JOIN balance b ON b.since_change_id = c.id AND b.opening IS NULL
    WHERE c.chain_name = k.chain_name AND c.position_number = k.number
  ) AND NOT EXISTS (
    SELECT FROM asset a JOIN watch_change c ON c.id = a.watch_change_id
    WHERE a.opening_after IS NOT NULL AND a.chain_name = k.chain_name AND c.position_number = k.number
  )`;

/** True for a header `k` below the window that goes. */
const goes = { nothing: Prisma.sql`true`, openings: isOpened, all: Prisma.sql`false` };

/**
 * Stores the position, the window of headers with its checkpoints, and the confirmed height with
 * its cutoffs. One statement does all, since each statement costs a round trip.
 */
export function storeBlocks(tx: TxStatements, stored: Stored): void {
  const { chainName, headers, headNumber, confirmed, isSettled, keeps } = stored;
  const tip = lastOf(headers);
  const { number, hash, time } = toBlockRow(chainName, tip);
  const oldest = number - windowBlocks;
  const from = confirmed.to !== null && confirmed.to < oldest ? confirmed.to : oldest;
  const sinceMs = tip.timeMs - windowMs;
  const isKept = (header: BlockHeader) =>
    keeps === "all" || header.number >= from || header.timeMs >= sinceMs;
  const isPassed = (header: BlockHeader) =>
    !isKept(header) && header.number % checkpointBlocks === 0n;
  const passed = headers.filter(isPassed);
  const passedRows = Prisma.sql`
      UNION ALL SELECT ${chainName}, r.* FROM unnest(${passed.map((header) => header.number)}::bigint[],
        ${passed.map((header) => header.hash)}::text[]) AS r`;
  tx.$sendRaw`
    ${preparedByIndex} WITH stored AS (
      INSERT INTO block (chain_name, number, hash, parent_hash, time) ${rowsOf(chainName, headers.filter(isKept))}
    ), forgotten AS (
      DELETE FROM block k
      WHERE k.chain_name = ${chainName} AND k.number < ${from} AND k.time < ${new Date(sinceMs)}
        AND ${goes[keeps]}
      RETURNING number, hash
    ), checkpoints AS (
      INSERT INTO checkpoint (chain_name, number, hash)
      SELECT ${chainName}, number, hash FROM forgotten WHERE number % ${checkpointBlocks} = 0
      ${passed.length > 0 ? passedRows : Prisma.empty}
      ON CONFLICT DO NOTHING
    ), ${cutoffsSql({ chainName, ...confirmed, added: headers })}
    UPDATE chain SET position_number = ${number}, position_hash = ${hash}, position_time = ${time},
      head_number = GREATEST(${headNumber}::bigint, ${number}), confirmed_number = ${confirmed.to},
      settle_number = CASE WHEN ${isSettled} THEN NULL ELSE settle_number END
    WHERE name = ${chainName}`;
}
