import type { Hash } from "../../domain/chain/block.ts";
import type { OpeningProgress } from "../../domain/chain/chain-status.ts";
import type { AssetAddress } from "../../domain/money/movement.ts";
import type { NextBalances, OpeningAsset, ReadOpening } from "../../domain/watch/opening.ts";
import { makeBatch, readBatch } from "../balances/open-balances.ts";
import { notifyBalances } from "../notifications/notify-crossings.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";
import { inTransaction } from "../postgres/transaction.ts";

type DueAsset = OpeningAsset & { address: AssetAddress; atNumber: bigint; atHash: Hash | null };

/**
 * Reads which balances are to be made next, at most `limit`, of an asset that is being opened.
 * Waits until the height at which the opening began is confirmed. Null: there is nothing to make.
 */
export async function readNextBalances(
  db: Database,
  chainName: string,
  limit: number,
): Promise<NextBalances | null> {
  const [asset] = await statementsOf(db).$queryRaw<DueAsset[]>`
    SELECT a.id, a.code, a.address, a.chain_name AS "chainName", a.watch_change_id AS "changeId",
      a.opening_after AS after, c.position_number AS "atNumber", k.hash AS "atHash"
    FROM asset a JOIN watch_change c ON c.id = a.watch_change_id
      JOIN chain n ON n.name = a.chain_name AND c.position_number <= n.confirmed_number
      LEFT JOIN block k ON k.chain_name = n.name AND k.number = c.position_number
    WHERE a.chain_name = ${chainName} AND a.configured AND a.opening_after IS NOT NULL ORDER BY a.id LIMIT 1`;
  if (asset === undefined) return null;
  const { due, after } = await readBatch(statementsOf(db), asset, limit);
  const { id: assetId, address: assetAddress, atNumber, atHash } = asset;
  const of = { assetId, assetAddress, atNumber, atHash };
  return { asset, due: due.map((wallet) => ({ ...wallet, ...of })), after };
}

/**
 * Makes these balances. The openings were read from the chain before, outside of a transaction.
 * They are written together with their balances, as openBalances says. So most balances are written
 * once. Answers the asset's progress. Null: another process has made them, or the configuration has
 * changed.
 *
 * One short transaction holds the chain's lock, so a block waits for some milliseconds. A process
 * that ends midway loses nothing. Safe to repeat, and for any number of processes.
 */
export async function makeBalances(
  db: Database,
  next: NextBalances,
  openings: readonly ReadOpening[],
): Promise<OpeningProgress | null> {
  return inTransaction(db, async (tx) => {
    const made = await makeBatch(tx, next, openings);
    if (made === null) return null;
    await notifyBalances(tx, next.asset.chainName, made.opened);
    return made.progress;
  });
}
