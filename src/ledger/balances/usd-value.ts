import { Prisma } from "../generated/client.ts";

/** The columns of a row called `transaction` that its price fills in. */
export const pricedColumns = Prisma.sql`usd_value, price_source, price_as_of`;

/** True if a row of `price`, called `p`, may still be used. */
export const isPriceFresh = Prisma.sql`(p.fresh_until IS NULL OR p.fresh_until > now())`;

/**
 * The exact present value in US dollars of a row called `transaction`, with the source and time of
 * its price. It is a row in the order of `pricedColumns`, or no row if no fresh price is stored.
 * Reads stored prices only.
 */
export const pricedNow = Prisma.sql`(
  SELECT trim_scale(transaction.amount * p.usd * ('1e-' || a.decimals)::numeric), p.source, p.as_of
  FROM price p JOIN asset a ON a.id = p.asset_id
  WHERE p.asset_id = transaction.asset_id AND ${isPriceFresh})`;
