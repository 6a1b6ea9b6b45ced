import type { Holdings } from "../../domain/money/holding.ts";
import type { PriceProof } from "../../domain/price/price.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { prepared } from "../postgres/statement.ts";
import { readRows } from "../postgres/statements.ts";
import { isKnown, lacksBalance } from "./open-balances.ts";
import { isPriceFresh } from "./usd-value.ts";

type HoldingRow = {
  syncing: number;
  chainName: string | null;
  code: string;
  decimals: number;
  confirmed: string;
  pending: string;
  usd: string | null;
  asOf: Date | null;
  proof: PriceProof | null;
};

/**
 * Reads what a business holds in configured assets and live wallets. A balance whose opening is not
 * known yet is left out, and its wallet counts as syncing. An asset whose two sums are zero is left
 * out. A holding has the price of one unit if a fresh price is known.
 *
 * One query reads stored balances. So all are of one moment, and the cost does not grow with the
 * history.
 */
export async function readHoldings(db: Database, businessId: string): Promise<Holdings> {
  const rows = await readRows<HoldingRow>(db, holdingsSql(businessId));
  const holdings = rows.flatMap(({ chainName, confirmed, pending, usd, asOf, proof, ...row }) =>
    chainName === null
      ? []
      : [
          {
            chainName,
            code: row.code,
            decimals: row.decimals,
            confirmedAtomic: BigInt(confirmed),
            pendingAtomic: BigInt(pending),
            price: usd === null || asOf === null ? null : { usd, asOfMs: asOf.getTime(), proof },
          },
        ],
  );
  return { holdings, syncingWallets: rows[0]?.syncing ?? 0 };
}

export function holdingsSql(businessId: string): Prisma.Sql {
  return Prisma.sql`${prepared}
    WITH live AS MATERIALIZED (
      SELECT w.id, w.address, w.added_change_id, ${lacksBalance} AS lacks
      FROM wallet w WHERE w.business_id = ${businessId}::uuid AND w.removed_at IS NULL
    ), mine AS MATERIALIZED (
      SELECT b.wallet_id, b.asset_id, b.confirmed, b.pending, b.opening IS NULL AS is_unread, ${isKnown} AS is_known
      FROM live w JOIN balance b ON b.wallet_id = w.id JOIN asset a ON a.id = b.asset_id AND a.configured
    ), held AS (
      SELECT a.id, a.chain_name, a.code, a.decimals, sum(m.confirmed) AS confirmed, sum(m.pending) AS pending
      FROM mine m JOIN asset a ON a.id = m.asset_id
      WHERE NOT m.is_unread AND m.is_known GROUP BY a.id
      HAVING sum(m.confirmed) <> 0 OR sum(m.pending) <> 0
    ), syncing AS (
      SELECT id FROM live WHERE lacks UNION SELECT wallet_id FROM mine WHERE is_unread
    )
    SELECT s.syncing, h.chain_name AS "chainName", h.code, h.decimals, h.confirmed::text, h.pending::text,
           trim_scale(p.usd)::text AS usd, p.as_of AS "asOf", p.proof
    FROM (SELECT count(*)::int AS syncing FROM syncing) s LEFT JOIN held h ON true
    LEFT JOIN price p ON p.asset_id = h.id AND ${isPriceFresh}
    ORDER BY h.code, h.chain_name`;
}
