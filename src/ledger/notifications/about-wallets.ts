import { Prisma } from "../generated/client.ts";
import type { Statements } from "../postgres/statements.ts";

/** The transactions whose notifications are collected, at most. */
export const mostCollected = 5_000;

/**
 * A notification `n` is about one of these wallets. Of wallets with few transactions, all
 * notifications are collected by index. Those of many transactions are not far apart in any list:
 * its rows are looked at one by one.
 */
export async function aboutWallets(
  tx: Statements,
  walletIds: readonly string[],
): Promise<Prisma.Sql> {
  const ids = Prisma.sql`${[...walletIds]}::uuid[]`;
  const [found] = await tx.$queryRaw<{ count: bigint }[]>`
    SELECT count(*) FROM (
      SELECT FROM transaction t WHERE t.wallet_id = ANY(${ids}) LIMIT ${mostCollected + 1}
    ) t`;
  return (found?.count ?? 0n) > mostCollected ? isAbout(ids) : isCollected(ids);
}

/** One value: of EXISTS PostgreSQL may look up all transactions of the wallets first. */
const isAbout = (ids: Prisma.Sql): Prisma.Sql => Prisma.sql`coalesce(
  n.wallet_id, (SELECT t.wallet_id FROM transaction t WHERE t.id = n.transaction_id)) = ANY(${ids})`;

/** OFFSET 0: each is looked up by itself, whatever PostgreSQL takes their number for. */
const isCollected = (ids: Prisma.Sql): Prisma.Sql => Prisma.sql`n.id = ANY(ARRAY(
  SELECT o.id FROM unnest(${ids}) w(id)
    CROSS JOIN LATERAL (SELECT t.id FROM transaction t WHERE t.wallet_id = w.id OFFSET 0) t
    CROSS JOIN LATERAL (SELECT o.id FROM notification o WHERE o.transaction_id = t.id OFFSET 0) o
  UNION ALL
  SELECT o.id FROM unnest(${ids}) w(id)
    CROSS JOIN LATERAL (SELECT o.id FROM notification o WHERE o.wallet_id = w.id OFFSET 0) o))`;
