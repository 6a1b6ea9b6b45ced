import { nilId } from "../../domain/id.ts";
import type { BalanceKey } from "../../domain/money/balance.ts";
import type { DueOpening, DueOpenings } from "../../domain/watch/opening.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";
import { isUnread } from "../postgres/unread-balances.ts";
import { isKnown } from "./open-balances.ts";

/** Sorts before every balance. */
const start: BalanceKey = { walletId: nilId, assetId: 0 };

type UnreadRow = DueOpening & { isKnown: boolean; isConfirmed: boolean };

/**
 * Reads at most `limit` balances after `after` whose opening is unread although their height is
 * confirmed (docs/invariants.md#i9). The order is by wallet id, so older wallets mostly come first.
 * The list ends at the first balance whose height is not confirmed: nearly all later ones are not
 * confirmed either.
 *
 * This runs after every block. It reads `limit` entries of an index for each asset of the chain. It
 * never reads the balances of other chains, or all of a large import.
 */
export async function readDueOpenings(
  db: Database,
  chainName: string,
  page: { after: BalanceKey | null; limit: number },
): Promise<DueOpenings> {
  const { after, limit } = page;
  const { walletId, assetId } = after ?? start;
  const rows = await statementsOf(db).$queryRaw<UnreadRow[]>`
    SELECT b.wallet_id AS "walletId", b.asset_id AS "assetId", w.address AS "walletAddress",
      a.address AS "assetAddress", c.position_number AS "atNumber", k.hash AS "atHash", ${isKnown} AS "isKnown",
      COALESCE(c.position_number <= n.confirmed_number, false) AS "isConfirmed"
    FROM (
      SELECT first.* FROM asset watched CROSS JOIN LATERAL (
        SELECT b.wallet_id, b.asset_id, b.since_change_id FROM balance b
        WHERE b.asset_id = watched.id AND ${isUnread} AND b.wallet_id >= ${walletId}::uuid
        ORDER BY b.wallet_id LIMIT ${limit + 1}
      ) first
      WHERE watched.chain_name = ${chainName} AND watched.configured
        AND (first.wallet_id, first.asset_id) > (${walletId}::uuid, ${assetId}::int)
      ORDER BY first.wallet_id, first.asset_id LIMIT ${limit}
    ) b
      JOIN wallet w ON w.id = b.wallet_id
      JOIN asset a ON a.id = b.asset_id
      JOIN watch_change c ON c.id = b.since_change_id
      JOIN chain n ON n.name = c.chain_name
      LEFT JOIN block k ON k.chain_name = c.chain_name AND k.number = c.position_number
    ORDER BY b.wallet_id, b.asset_id`;
  const end = rows.findIndex(({ isConfirmed }) => !isConfirmed);
  const confirmed = end < 0 ? rows : rows.slice(0, end);
  const last = confirmed.at(-1);
  const isMore = last !== undefined && confirmed.length === limit;
  return {
    due: confirmed.flatMap(({ isKnown: isOfNow, isConfirmed: _, ...due }) =>
      isOfNow ? [due] : [],
    ),
    next: isMore ? { walletId: last.walletId, assetId: last.assetId } : null,
  };
}
