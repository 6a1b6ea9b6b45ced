import type { DiscrepancyResolution } from "../../domain/evidence/reconciliation-record.ts";
import type { FinishedReconciliation } from "../../domain/money/reconciliation.ts";
import { lockChain } from "../chain/chain-state.ts";
import type { Database } from "../postgres/database.ts";
import { modelsOf } from "../postgres/models.ts";
import { reaching } from "../postgres/reaching.ts";
import { inTransaction } from "../postgres/transaction.ts";

/**
 * The resolution of discrepancies that are not compared any more. Triggers write it to the record.
 */
const resolution = "unwatched" satisfies DiscrepancyResolution;

/**
 * The height up to which a chain's ledger was last found to agree with the chain; null: not
 * compared yet.
 */
export async function readAgreed(db: Database, chainName: string): Promise<bigint | null> {
  return reaching(async () => {
    const row = await modelsOf(db).reconciliation.findUnique({ where: { chainName } });
    return row?.agreedNumber ?? null;
  });
}

/**
 * Stores that all balances of a chain were compared. A null `agreed` leaves the stored height.
 * Discrepancies of wallets and assets that are not watched any more end. They stay while a
 * transaction of theirs waits for its proof. Safe to repeat.
 *
 * Answers `moved`, and writes nothing, if a reorg, a rewind or a reset has taken blocks away since.
 * It may have taken back what made earlier balances agree.
 */
export async function finishReconciliation(
  db: Database,
  finished: FinishedReconciliation,
): Promise<"finished" | "moved"> {
  const { chainName, atNumber, agreedNumber, compared, undos } = finished;
  return inTransaction(db, async (tx) => {
    if ((await lockChain(tx, chainName)).undos !== undos) return "moved";
    await tx.$executeRaw`SELECT set_config('chainbell.resolution', ${resolution}, true)`;
    await tx.$executeRaw`
      DELETE FROM discrepancy d USING wallet w, asset a
      WHERE d.chain_name = ${chainName} AND w.id = d.wallet_id AND a.id = d.asset_id
        AND (w.removed_at IS NOT NULL OR NOT a.configured) AND NOT EXISTS (
          SELECT 1 FROM transaction t
          WHERE t.chain_name = d.chain_name AND t.wallet_id = d.wallet_id AND t.asset_id = d.asset_id
            AND t.unproven AND t.status = 'pending' AND NOT t.orphaned)`;
    await tx.$executeRaw`
      INSERT INTO reconciliation (chain_name, at_number, agreed_number, compared, finished_at)
      VALUES (${chainName}, ${atNumber}, ${agreedNumber}, ${compared}, now())
      ON CONFLICT (chain_name) DO UPDATE SET at_number = EXCLUDED.at_number, compared = EXCLUDED.compared,
        agreed_number = COALESCE(EXCLUDED.agreed_number, reconciliation.agreed_number), finished_at = EXCLUDED.finished_at`;
    return "finished";
  });
}
