import type { AssetPrice, PriceAnchor, PriceProof } from "../../domain/price/price.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";
import { inTransaction } from "../postgres/transaction.ts";
import { isPriceFresh } from "./usd-value.ts";

/**
 * Stores the current prices of assets. Keeps the stored price of the same source where that is
 * newer. Ignores assets that are not configured. Safe to repeat, and for any number of processes at
 * once.
 */
export async function writePrices(db: Database, prices: readonly AssetPrice[]): Promise<void> {
  if (prices.length === 0) return;
  const rows = prices.map(({ chainName, assetCode, usd, source, proof, ...price }) => ({
    chainName,
    assetCode,
    usd,
    source,
    proof,
    asOf: new Date(price.asOfMs).toISOString(),
    freshUntil: price.freshUntilMs === null ? null : new Date(price.freshUntilMs).toISOString(),
    ...anchorRow(price.anchor),
  }));
  await statementsOf(db).$executeRaw`
    INSERT INTO price AS p (asset_id, usd, source, as_of, fresh_until, proof,
      anchor_usd, anchor_as_of, anchor_proof, anchor_origin)
    SELECT a.id, r.usd, r.source, r."asOf", r."freshUntil", r.proof,
      r."anchorUsd", r."anchorAsOf", r."anchorProof", r."anchorOrigin"
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r(
      "chainName" text, "assetCode" text, usd numeric, source text, "asOf" timestamptz, "freshUntil" timestamptz, proof text,
      "anchorUsd" numeric, "anchorAsOf" timestamptz, "anchorProof" text, "anchorOrigin" text)
    JOIN asset a ON a.chain_name = r."chainName" AND a.code = r."assetCode" AND a.configured
    ORDER BY a.id
    ON CONFLICT (asset_id) DO UPDATE SET usd = EXCLUDED.usd, source = EXCLUDED.source, as_of = EXCLUDED.as_of,
      fresh_until = EXCLUDED.fresh_until, proof = EXCLUDED.proof,
      anchor_usd = COALESCE(EXCLUDED.anchor_usd, p.anchor_usd), anchor_as_of = COALESCE(EXCLUDED.anchor_as_of, p.anchor_as_of),
      anchor_proof = COALESCE(EXCLUDED.anchor_proof, p.anchor_proof), anchor_origin = COALESCE(EXCLUDED.anchor_origin, p.anchor_origin)
    WHERE p.source <> EXCLUDED.source OR p.as_of <= EXCLUDED.as_of`;
}

function anchorRow(anchor: PriceAnchor | null) {
  if (anchor === null) return {};
  const { usd, asOfMs, proof, origin } = anchor;
  const anchorAsOf = new Date(asOfMs).toISOString();
  return { anchorUsd: usd, anchorAsOf, anchorProof: proof, anchorOrigin: origin };
}

type AnchorRow = {
  chainName: string;
  assetCode: string;
  usd: string;
  asOf: Date;
  proof: PriceProof;
  origin: string;
};

/** Reads each asset's anchor: the price that an answer of a single host is compared with. */
export async function readPriceAnchors(
  db: Database,
): Promise<{ chainName: string; assetCode: string; anchor: PriceAnchor }[]> {
  const rows = await statementsOf(db).$queryRaw<AnchorRow[]>`
    SELECT a.chain_name AS "chainName", a.code AS "assetCode", trim_scale(p.anchor_usd)::text AS usd,
           p.anchor_as_of AS "asOf", p.anchor_proof AS proof, p.anchor_origin AS origin
    FROM price p JOIN asset a ON a.id = p.asset_id WHERE p.anchor_usd IS NOT NULL ORDER BY a.id`;
  return rows.map(({ chainName, assetCode, asOf, ...anchor }) => ({
    chainName,
    assetCode,
    anchor: { ...anchor, asOfMs: asOf.getTime() },
  }));
}

/**
 * Ends the freshness of these assets' prices now, because they were found to be wrong. Safe to
 * repeat.
 */
export async function expirePrices(
  db: Database,
  assets: readonly { chainName: string; assetCode: string }[],
): Promise<void> {
  if (assets.length === 0) return;
  await statementsOf(db).$executeRaw`
    UPDATE price p SET fresh_until = now()
    FROM jsonb_to_recordset(${JSON.stringify(assets)}::jsonb) AS r("chainName" text, "assetCode" text)
    JOIN asset a ON a.chain_name = r."chainName" AND a.code = r."assetCode"
    WHERE p.asset_id = a.id AND ${isPriceFresh}`;
}

/**
 * Deletes the prices of these assets whose source is not configured for them any more. Prices of
 * other assets stay: they belong to other processes. Safe to repeat.
 */
export async function keepPrices(
  db: Database,
  kept: readonly { chainName: string; assetCode: string; sources: readonly string[] }[],
): Promise<void> {
  await inTransaction(
    db,
    (tx) => tx.$executeRaw`
      DELETE FROM price p
      USING asset a, jsonb_to_recordset(${JSON.stringify(kept)}::jsonb) AS k("chainName" text, "assetCode" text, sources jsonb)
      WHERE a.id = p.asset_id AND k."chainName" = a.chain_name AND k."assetCode" = a.code
        AND NOT jsonb_exists(k.sources, p.source)`,
  );
}

type ShownPrice = { chainName: string; assetCode: string; asOf: Date; isFresh: boolean };

/** Every price there is, fresh or not. */
export async function readPrices(db: Database): Promise<ShownPrice[]> {
  return statementsOf(db).$queryRaw<ShownPrice[]>`
    SELECT a.chain_name AS "chainName", a.code AS "assetCode", p.as_of AS "asOf",
           ${isPriceFresh} AS "isFresh"
    FROM price p JOIN asset a ON a.id = p.asset_id ORDER BY a.id`;
}
