import { Fault } from "../../domain/fault.ts";
import type { BalanceKey } from "../../domain/money/balance.ts";
import { confirmedAbove } from "../balances/confirmed-above.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { type Statements, statementsOf } from "../postgres/statements.ts";

/**
 * Reads a confirmed balance as it was at a height: the balance now, less what arose above it.
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
    SELECT (b.confirmed - ${confirmedAbove(Prisma.sql`${number}`)})::text AS amount
    FROM balance b WHERE b.wallet_id = ${balance.walletId}::uuid AND b.asset_id = ${balance.assetId}`;
  const row = rows[0];
  if (row === undefined)
    throw new Fault("invariant_broken", "A watched wallet has no balance of its asset.");
  return BigInt(row.amount);
}
