import { idAt } from "../../domain/id.ts";
import type { Statements } from "../postgres/statements.ts";
import type { Tx } from "../postgres/transaction.ts";

// A change of the watchlist (docs/invariants.md#i4). Begin it, write its rows, and end it as the
// last step of the transaction. Only the end locks the chain's row, so adding ten thousand wallets
// delays no block.

/**
 * Writes the row of a change, to which its wallets, assets and balances refer. Answers its id.
 * Until its end the change has a provisional version: negative, and of this transaction alone. So
 * begin at most one change of a chain in a transaction. Nobody sees it before the commit.
 */
export async function beginWatchChange(tx: Tx, chainName: string): Promise<string> {
  const id = idAt(Date.now());
  await tx.$executeRaw`
    INSERT INTO watch_change (id, chain_name, version)
    VALUES (${id}::uuid, ${chainName}, -(pg_current_xact_id()::text::bigint))`;
  return id;
}

/**
 * Ends a change: raises the chain's watch version, and stores it with the chain's position in the
 * change. It reads both under the lock that every commit of a block takes. With several chains, end
 * the changes in the order of the chains' names, so that two transactions do not deadlock.
 * @returns `isReplaying`: true while a reorg or a rewind is replayed. Only after a rewind may an
 *   earlier change of the chain have a higher position
 */
export async function endWatchChange(
  tx: Tx,
  chainName: string,
  changeId: string,
): Promise<{ isReplaying: boolean }> {
  const rows = await tx.$queryRaw<{ isReplaying: boolean }[]>`
    WITH raised AS (
      UPDATE chain SET watch_version = watch_version + 1 WHERE name = ${chainName}
      RETURNING watch_version, position_number, settle_number
    )
    UPDATE watch_change c SET version = raised.watch_version, position_number = raised.position_number
    FROM raised WHERE c.id = ${changeId}::uuid
    RETURNING raised.settle_number IS NOT NULL AS "isReplaying"`;
  await closeEnded(tx, changeId);
  return rows[0] ?? { isReplaying: false };
}

/**
 * Ends the balances of the wallets that end with this change, so that nothing more is read of them.
 * It is a separate statement, so that it sees what others wrote before the chain was locked.
 */
async function closeEnded(tx: Tx, changeId: string): Promise<void> {
  await tx.$executeRaw`
    WITH gone AS (
      SELECT id FROM wallet WHERE removed_change_id = ${changeId}::uuid
    ), histories AS (
      UPDATE history h SET verdict = 'unknown' FROM gone WHERE h.wallet_id = gone.id AND h.verdict IS NULL
    )
    UPDATE balance b SET ended = true FROM gone WHERE b.wallet_id = gone.id`;
}

/**
 * Makes the changes above a height count from that height, and answers their number. The blocks in
 * which they were made are lost. On the new branch, a payment from after a wallet's addition may be
 * in a lower block. Their versions rise in the same order, so every watcher reads them again. The
 * caller holds the chain's lock.
 */
export function lowerChanges(tx: Statements, chainName: string, to: bigint): Promise<number> {
  return tx.$executeRaw`
    WITH lowered AS (
      SELECT id, row_number() OVER (ORDER BY version) AS place, count(*) OVER () AS total
      FROM watch_change WHERE chain_name = ${chainName} AND position_number > ${to}
    ), raised AS (
      UPDATE chain SET watch_version = watch_version + lowered.total
      FROM lowered WHERE lowered.place = 1 AND chain.name = ${chainName}
      RETURNING chain.watch_version - lowered.total AS version
    )
    UPDATE watch_change c SET position_number = ${to}, version = raised.version + lowered.place
    FROM lowered, raised WHERE c.id = lowered.id`;
}

/**
 * Lets the balances of this change begin at the height of their wallet or their asset, whichever is
 * higher. Nothing is matched for them below it. Call it after the end of the change, only while
 * blocks are replayed. A rewind may have left an earlier change above the position.
 */
export async function beginWithTheLater(tx: Tx, changeId: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE balance b SET since_change_id = later.id
    FROM wallet w, asset a, watch_change mine, watch_change later
    WHERE mine.id = ${changeId}::uuid AND b.since_change_id = mine.id AND w.id = b.wallet_id AND a.id = b.asset_id
      AND later.id IN (w.added_change_id, a.watch_change_id) AND later.position_number > mine.position_number`;
}

/**
 * Locks a chain's assets until the transaction ends. Any number of transactions may add wallets at
 * once, or one may configure assets, but not both. So every wallet gets a balance of every
 * configured asset of its chain.
 */
export async function holdAssets(
  tx: Tx,
  chainName: string,
  as: "wallet_adder" | "configurer",
): Promise<void> {
  const name = `chainbell.assets.${chainName}`;
  if (as === "wallet_adder") {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock_shared(hashtextextended(${name}, 0))`;
  } else {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
  }
}
