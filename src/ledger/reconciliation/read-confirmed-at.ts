import { Fault } from "../../domain/fault.ts";
import type { BalanceKey } from "../../domain/money/balance.ts";
import type { Database } from "../postgres/database.ts";
import { type Statements, statementsOf } from "../postgres/statements.ts";

/**
 * Reads a confirmed balance as it was at a height: the balance now, less the entries above that
 * height.
 */
export function readConfirmedAt(
  db: Database,
  balance: BalanceKey,
  number: bigint,
): Promise<bigint> {
  return confirmedAt(statementsOf(db), balance, number);
}

/** As readConfirmedAt. */
export async function confirmedAt(
  statements: Statements,
  balance: BalanceKey,
  number: bigint,
): Promise<bigint> {
  const rows = await statements.$queryRaw<{ amount: string }[]>`
    SELECT (b.confirmed - COALESCE((
      SELECT sum(e.amount) FROM ledger_entry e
      WHERE e.wallet_id = b.wallet_id AND e.asset_id = b.asset_id AND e.block_number > ${number}), 0))::text AS amount
    FROM balance b WHERE b.wallet_id = ${balance.walletId}::uuid AND b.asset_id = ${balance.assetId}`;
  const row = rows[0];
  if (row === undefined)
    throw new Fault("invariant_broken", "A watched wallet has no balance of its asset.");
  return BigInt(row.amount);
}
