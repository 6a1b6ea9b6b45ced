import type { Hash } from "../../domain/chain/block.ts";
import type { OpeningProgress } from "../../domain/chain/chain-status.ts";
import type { AssetAddress } from "../../domain/money/movement.ts";
import type { ReadDueOpenings } from "../../domain/watch/watcher-ledger.ts";
import { makeBatch, type OpeningAsset, readBatch } from "../balances/open-balances.ts";
import { notifyBalances } from "../notifications/notify-crossings.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";
import { inTransaction } from "../postgres/transaction.ts";

type DueAsset = OpeningAsset & { address: AssetAddress; atNumber: bigint; atHash: Hash | null };

/**
 * Makes the next balances, at most `limit`, of an asset that is being opened. Waits until the
 * height at which the opening began is confirmed. Answers the asset's progress, or null if there is
 * nothing to make.
 *
 * `read` reads them from the chain beforehand, outside of a transaction. The openings that it
 * answers are written together with their balances, as openBalances says. So most balances are
 * written once.
 *
 * One short transaction holds the chain's lock, so a block waits for some milliseconds. A process
 * that ends midway loses nothing. Safe to repeat, and for any number of processes.
 */
export async function makeBalances(
  db: Database,
  chainName: string,
  limit: number,
  read: ReadDueOpenings,
): Promise<OpeningProgress | null> {
  const [asset] = await statementsOf(db).$queryRaw<DueAsset[]>`
    SELECT a.id, a.code, a.address, a.chain_name AS "chainName", a.watch_change_id AS "changeId",
      a.opening_after AS after, c.position_number AS "atNumber", k.hash AS "atHash"
    FROM asset a JOIN watch_change c ON c.id = a.watch_change_id
      JOIN chain n ON n.name = a.chain_name AND c.position_number <= n.confirmed_number
      LEFT JOIN block k ON k.chain_name = n.name AND k.number = c.position_number
    WHERE a.chain_name = ${chainName} AND a.configured AND a.opening_after IS NOT NULL ORDER BY a.id LIMIT 1`;
  if (asset === undefined) return null;
  const batch = await readBatch(statementsOf(db), asset, limit);
  const { id: assetId, address: assetAddress, atNumber, atHash } = asset;
  const due = batch.wallets.map(({ id: walletId, address: walletAddress }) => ({
    walletId,
    assetId,
    walletAddress,
    assetAddress,
    atNumber,
    atHash,
  }));
  const openings = await read(due);
  return inTransaction(db, async (tx) => {
    const made = await makeBatch(tx, batch, openings);
    if (made === null) return null;
    await notifyBalances(tx, chainName, made.opened);
    return made.progress;
  });
}
