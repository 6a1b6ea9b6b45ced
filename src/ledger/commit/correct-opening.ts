import type { BalanceKey } from "../../domain/money/balance.ts";
import type { OpeningCorrection, RecordedOpening } from "../../domain/watch/opening.ts";
import { lockChain } from "../chain/chain-state.ts";
import { hasLeftChain } from "../chain/has-left-chain.ts";
import { notifyBalances } from "../notifications/notify-crossings.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";
import { inTransaction } from "../postgres/transaction.ts";

/**
 * Reads the opening of a balance and its height. Null: the opening is not read yet, or the height
 * is not known.
 */
export async function readOpening(
  db: Database,
  { walletId, assetId }: BalanceKey,
): Promise<RecordedOpening | null> {
  const rows = await statementsOf(db).$queryRaw<{ atNumber: bigint; opening: string }[]>`
    SELECT c.position_number AS "atNumber", b.opening::text FROM balance b JOIN watch_change c ON c.id = b.since_change_id
    WHERE b.wallet_id = ${walletId}::uuid AND b.asset_id = ${assetId} AND b.opening IS NOT NULL
      AND c.position_number IS NOT NULL`;
  const [row] = rows;
  return row === undefined ? null : { atNumber: row.atNumber, amountAtomic: BigInt(row.opening) };
}

/**
 * Corrects the opening of a balance by an entry of the kind `opening_corrected`, in one
 * transaction. Notifies if the balance crosses a threshold by it.
 *
 * Answers `moved`, and writes nothing, if the opening or its height has changed. The same holds if
 * the block is no longer the stored one. So it never corrects an opening twice.
 */
export async function correctOpening(
  db: Database,
  chainName: string,
  correction: OpeningCorrection,
): Promise<"corrected" | "moved"> {
  const { walletId, assetId, at, fromAtomic, toAtomic, proof } = correction;
  return inTransaction(db, async (tx) => {
    await lockChain(tx, chainName);
    if (await hasLeftChain(tx, chainName, at)) return "moved";
    const written = await tx.$executeRaw`
      WITH corrected AS (
        UPDATE balance b SET opening = ${toAtomic.toString()}::numeric, opening_proof = ${proof},
          confirmed = b.confirmed + ${(toAtomic - fromAtomic).toString()}::numeric
        FROM watch_change c
        WHERE b.wallet_id = ${walletId}::uuid AND b.asset_id = ${assetId} AND b.opening = ${fromAtomic.toString()}::numeric
          AND c.id = b.since_change_id AND c.position_number = ${at.number}
        RETURNING b.wallet_id, b.asset_id
      )
      INSERT INTO ledger_entry (wallet_id, asset_id, kind, amount, block_number)
      SELECT wallet_id, asset_id, 'opening_corrected', ${(toAtomic - fromAtomic).toString()}::numeric, ${at.number}
      FROM corrected`;
    if (written === 0) return "moved";
    await notifyBalances(tx, chainName, [{ walletId, assetId }]);
    return "corrected";
  });
}
