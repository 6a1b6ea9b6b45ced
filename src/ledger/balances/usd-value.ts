import { Prisma } from "../generated/client.ts";

/**
 * The exact value in US dollars, now, of a row called `transaction`; NULL where no fresh price is
 * at hand. No price source is asked.
 */
export const usdValue = Prisma.sql`(
  SELECT trim_scale(transaction.amount * p.usd * ('1e-' || a.decimals)::numeric)
  FROM price p JOIN asset a ON a.id = p.asset_id
  WHERE p.asset_id = transaction.asset_id AND (p.fresh_until IS NULL OR p.fresh_until > now()))`;
