import type { FinishedReconciliation } from "../../domain/money/reconciliation.ts";
import { type Database, reaching } from "../postgres/database.ts";

/** Up to which height a chain's ledger was last found to agree with the chain; null: nowhere yet. */
export async function readAgreed(db: Database, chainName: string): Promise<bigint | null> {
  return reaching(async () => {
    const row = await db.reconciliation.findUnique({ where: { chainName } });
    return row?.agreedNumber ?? null;
  });
}

/** Keeps that all of a chain was compared. `agreedNumber` null: what was known of that stays. Safe to repeat. */
export async function finishReconciliation(
  db: Database,
  finished: FinishedReconciliation,
): Promise<void> {
  const { chainName, atNumber, agreedNumber, compared } = finished;
  await reaching(
    () => db.$executeRaw`
      INSERT INTO reconciliation (chain_name, at_number, agreed_number, compared, finished_at)
      VALUES (${chainName}, ${atNumber}, ${agreedNumber}, ${compared}, now())
      ON CONFLICT (chain_name) DO UPDATE SET at_number = EXCLUDED.at_number, compared = EXCLUDED.compared,
        agreed_number = COALESCE(EXCLUDED.agreed_number, reconciliation.agreed_number), finished_at = EXCLUDED.finished_at`,
  );
}
