import { idAt } from "../../domain/id.ts";
import type { Tx } from "../postgres/transaction.ts";

// A change of the watchlist (docs/invariants.md#i4). Begin it, write the rows that belong to it,
// and end it as the last step of the transaction. Only `end` locks the chain's row, so a call that
// adds ten thousand wallets holds up no block.

/**
 * Writes the change's row, to which wallets, assets and balances refer, and answers its id. Its
 * version is provisional: negative and of this transaction alone, so begin at most one change a
 * chain in a transaction. Nobody sees it before the commit.
 */
export async function beginWatchChange(tx: Tx, chainName: string): Promise<string> {
  const id = idAt(Date.now());
  await tx.$executeRaw`
    INSERT INTO watch_change (id, chain_name, version)
    VALUES (${id}::uuid, ${chainName}, -(pg_current_xact_id()::text::bigint))`;
  return id;
}

/**
 * Raises the chain's watch version and gives it to the change, with the position the chain has at
 * that moment: both read under the lock that every block commit takes. In a transaction of several
 * chains end them in the order of their names, or two of them may wait for each other.
 * @returns `isReplaying`: true while a reorg is replayed. Only then may an earlier change of the
 *   chain have a higher position.
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
 * Nothing more is read of the wallets that end with this change. A statement of its own: it sees
 * what others have written before the chain was locked.
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
 * Lets the balances that this change has begun begin with the later of their wallet and their
 * asset: below that height nothing of them is matched. After `end`, and only while a reorg is
 * replayed: otherwise they do so already.
 */
export async function beginWithTheLater(tx: Tx, changeId: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE balance b SET since_change_id = later.id
    FROM wallet w, asset a, watch_change mine, watch_change later
    WHERE mine.id = ${changeId}::uuid AND b.since_change_id = mine.id AND w.id = b.wallet_id AND a.id = b.asset_id
      AND later.id IN (w.added_change_id, a.watch_change_id) AND later.position_number > mine.position_number`;
}

/**
 * Every wallet has a balance of every configured asset of its chain, or gets one while that asset's
 * opening goes on. So those who add wallets (any number at once) and the one who configures assets
 * keep apart until their transactions end.
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
