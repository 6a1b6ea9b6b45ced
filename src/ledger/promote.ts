import { Prisma } from "./generated/client.ts";
import { effect, moveBalances } from "./move-balances.ts";
import { type MovedRow, toWeight } from "./moved-row.ts";
import { ring } from "./ring.ts";
import type { Statements } from "./statements.ts";

/** What a row called `transaction` is worth now, exactly; NULL where no fresh price is at hand. Nothing is asked of anybody. */
export const usdValue = Prisma.sql`(
  SELECT trim_scale(transaction.amount * p.usd * ('1e-' || a.decimals)::numeric)
  FROM price p JOIN asset a ON a.id = p.asset_id
  WHERE p.asset_id = transaction.asset_id AND (p.fresh_until IS NULL OR p.fresh_until > now()))`;

/**
 * Confirms everything of a chain up to a height: the confirmed height, the transactions' status, balances, entries and
 * notifications together. The height never goes back here, and never above the position.
 */
export async function promote(
  tx: Statements,
  confirm: { chainName: string; upTo: bigint },
): Promise<{ confirmed: number; rang: number }> {
  const { chainName, upTo } = confirm;
  const raised = await tx.$executeRaw`
    UPDATE chain SET confirmed_number = LEAST(${upTo}, position_number)
    WHERE name = ${chainName} AND confirmed_number < LEAST(${upTo}, position_number)`;
  return raised === 0 ? { confirmed: 0, rang: 0 } : promotePending(tx, confirm);
}

/** The same for what lies at or below a height that is confirmed already. The caller holds the chain's lock. */
export async function promotePending(
  tx: Statements,
  confirm: { chainName: string; upTo: bigint },
): Promise<{ confirmed: number; rang: number }> {
  const { chainName, upTo } = confirm;
  const rows = await tx.$queryRaw<MovedRow[]>`
    WITH confirmed AS (
      UPDATE transaction SET status = 'completed', completed_at = now(), usd_value = ${usdValue}
      WHERE chain_name = ${chainName} AND status = 'pending' AND NOT orphaned AND NOT unproven
        AND block_number <= ${upTo}
      RETURNING id, wallet_id, asset_id, direction, amount, block_number, ordinal
    )
    SELECT id, wallet_id AS "walletId", asset_id AS "assetId", direction, amount::text, block_number AS "blockNumber"
    FROM confirmed ORDER BY block_number, ordinal`;
  await moveBalances(tx, {
    kind: "confirmation",
    written: rows.map((row) => {
      const weight = toWeight(row, 1n);
      return { ...weight, effectAtomic: effect(weight) };
    }),
    pending: rows.map((row) => toWeight(row, -1n)),
  });
  const { rang } = await ring(tx, {
    state: "confirmed",
    transactionIds: rows.map((row) => row.id),
  });
  return { confirmed: rows.length, rang };
}
