import type { Holdings } from "../../domain/money/holding.ts";
import type { PriceProof } from "../../domain/price/price.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { prepared } from "../postgres/statement.ts";
import { readRows } from "../postgres/statements.ts";
import { isKnown, lacksBalance } from "./open-balances.ts";

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
 * Reads the holdings of a business, of configured assets and live wallets. Where the opening
 * balance of a wallet in an asset is not known yet, that balance is left out, and the wallet counts
 * as syncing. Each has the price of a unit where that is known and fresh. One query reads
 * maintained balances, so they are of one moment, whatever the length of the history. An asset that
 * comes to zero in both columns is left out.
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
      SELECT w.id, w.address, w.added_change_id, EXISTS (
        SELECT 1 FROM balance b JOIN asset a ON a.id = b.asset_id AND a.configured
        WHERE b.wallet_id = w.id AND b.opening IS NULL
      ) OR ${lacksBalance} AS syncing
      FROM wallet w WHERE w.business_id = ${businessId}::uuid AND w.removed_at IS NULL
    ), held AS (
      SELECT a.id, a.chain_name, a.code, a.decimals, sum(b.confirmed) AS confirmed, sum(b.pending) AS pending
      FROM live w JOIN balance b ON b.wallet_id = w.id JOIN asset a ON a.id = b.asset_id AND a.configured
      WHERE b.opening IS NOT NULL AND ${isKnown} GROUP BY a.id
      HAVING sum(b.confirmed) <> 0 OR sum(b.pending) <> 0
    )
    SELECT s.syncing, h.chain_name AS "chainName", h.code, h.decimals, h.confirmed::text, h.pending::text,
           trim_scale(p.usd)::text AS usd, p.as_of AS "asOf", p.proof
    FROM (SELECT count(*)::int AS syncing FROM live WHERE syncing) s LEFT JOIN held h ON true
    LEFT JOIN price p ON p.asset_id = h.id AND (p.fresh_until IS NULL OR p.fresh_until > now())
    ORDER BY h.code, h.chain_name`;
}
