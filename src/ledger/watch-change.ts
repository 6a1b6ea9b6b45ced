import { idAt } from "../domain/id.ts";
import type { Tx } from "./database.ts";

// A change of what is watched (I4): begin it, write whatever belongs to it, and end it as the last thing of the
// transaction. Only `end` locks the chain's row, so a call that adds ten thousand wallets holds up no block.

/**
 * Writes the change's row, to which wallets, assets and balances refer, and answers its id. Its version is
 * provisional: negative and of this transaction alone, so begin at most one change a chain in a transaction. Nobody
 * sees it before the commit.
 */
export async function beginWatchChange(tx: Tx, chainName: string): Promise<string> {
  const id = idAt(Date.now());
  await tx.$executeRaw`
    INSERT INTO watch_change (id, chain_name, version)
    VALUES (${id}::uuid, ${chainName}, -(pg_current_xact_id()::text::bigint))`;
  return id;
}

/**
 * Raises the chain's watch version and gives it to the change, with the position the chain has at that moment: both
 * read under the lock that every block commit takes. In a transaction of several chains end them in the order of
 * their names, or two of them may wait for each other.
 */
export async function endWatchChange(tx: Tx, chainName: string, changeId: string): Promise<void> {
  await tx.$executeRaw`
    WITH raised AS (
      UPDATE chain SET watch_version = watch_version + 1 WHERE name = ${chainName}
      RETURNING watch_version, position_number
    )
    UPDATE watch_change c SET version = raised.watch_version, position_number = raised.position_number
    FROM raised WHERE c.id = ${changeId}::uuid`;
}

/**
 * Every wallet has a balance of every configured asset of its chain. So those who add wallets (any number at once)
 * and whoever configures assets (alone) keep apart until their transactions end.
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
