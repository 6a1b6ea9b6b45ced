import { type BalanceKey, balanceKeyOf } from "../../domain/money/balance.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import type { Statements } from "../postgres/statements.ts";

/**
 * Finds out which of these balances are not watched in a block that is read again. Both may have
 * come about since the reading was decided on. The caller holds the chain's lock.
 *
 * - `before` the balance begins. Its asset came back to the configuration. The new opening includes
 *   the block, so nothing of the block may be added.
 * - `after` the wallet has ended. A reorg has lowered its end, and the block may be another
 *   wallet's.
 *
 * @returns the answer for one of the balances; null: it is watched in the block
 */
export async function findUnwatched(
  tx: Statements,
  balances: readonly BalanceKey[],
  number: bigint,
): Promise<(of: BalanceKey) => "before" | "after" | null> {
  if (balances.length === 0) return () => null;
  const rows = await tx.$queryRaw<(BalanceKey & { isEnded: boolean })[]>`
    SELECT w.id AS "walletId", a.id AS "assetId", COALESCE(ended.position_number < ${number}, false) AS "isEnded"
    FROM unnest(${arrayLiteral(balances.map(({ walletId }) => walletId))}::uuid[],
        ${arrayLiteral(balances.map(({ assetId }) => assetId))}::int[]) AS r(wallet_id, asset_id)
      JOIN wallet w ON w.id = r.wallet_id JOIN watch_change added ON added.id = w.added_change_id
      JOIN asset a ON a.id = r.asset_id JOIN watch_change configured ON configured.id = a.watch_change_id
      LEFT JOIN watch_change ended ON ended.id = w.removed_change_id
    WHERE ended.position_number < ${number}
      OR COALESCE(GREATEST(added.position_number, configured.position_number) >= ${number}, true)`;
  const why = new Map<string, "before" | "after">();
  for (const { isEnded, ...of } of rows) why.set(balanceKeyOf(of), isEnded ? "after" : "before");
  return (of) => why.get(balanceKeyOf(of)) ?? null;
}
