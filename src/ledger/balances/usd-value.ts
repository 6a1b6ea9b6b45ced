import { Prisma } from "../generated/client.ts";

/** What a row called `transaction` is worth now, exactly; NULL where no fresh price is at hand. Nothing is asked of anybody. */
export const usdValue = Prisma.sql`(
  SELECT trim_scale(transaction.amount * p.usd * ('1e-' || a.decimals)::numeric)
  FROM price p JOIN asset a ON a.id = p.asset_id
  WHERE p.asset_id = transaction.asset_id AND (p.fresh_until IS NULL OR p.fresh_until > now()))`;
