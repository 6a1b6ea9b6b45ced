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
  const rows = await statements.$queryRaw<{ amount: string }[]>`${confirmedAtSql(balance, number)}`;
  const row = rows[0];
  if (row === undefined)
    throw new Fault("invariant_broken", "A watched wallet has no balance of its asset.");
  return BigInt(row.amount);
}

export function confirmedAtSql({ walletId, assetId }: BalanceKey, number: bigint): Prisma.Sql {
  return Prisma.sql`
    SELECT (b.confirmed - ${confirmedAbove(number, null)})::text AS amount
    FROM balance b JOIN wallet w ON w.id = b.wallet_id WHERE b.wallet_id = ${walletId}::uuid AND b.asset_id = ${assetId}`;
}
