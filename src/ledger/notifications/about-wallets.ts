import { Prisma } from "../generated/client.ts";
import type { Statements } from "../postgres/statements.ts";

/** For at most this many transactions, the notifications are collected by index. */
export const mostCollected = 5_000;

/**
 * A condition: the notification `n` is about one of these wallets. If the wallets have few
 * transactions, an index collects all their notifications first. If they have many, any list has
 * them close together. So the rows of the list are tested one by one.
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

/**
 * A subquery with one value. With EXISTS, PostgreSQL might first look up all transactions of the
 * wallets.
 */
const isAbout = (ids: Prisma.Sql): Prisma.Sql => Prisma.sql`coalesce(
  n.wallet_id, (SELECT t.wallet_id FROM transaction t WHERE t.id = n.transaction_id)) = ANY(${ids})`;

/** OFFSET 0 makes PostgreSQL look up each one by itself, whatever number of rows it expects. */
const isCollected = (ids: Prisma.Sql): Prisma.Sql => Prisma.sql`n.id = ANY(ARRAY(
  SELECT o.id FROM unnest(${ids}) w(id)
    CROSS JOIN LATERAL (SELECT t.id FROM transaction t WHERE t.wallet_id = w.id OFFSET 0) t
    CROSS JOIN LATERAL (SELECT o.id FROM notification o WHERE o.transaction_id = t.id OFFSET 0) o
  UNION ALL
  SELECT o.id FROM unnest(${ids}) w(id)
    CROSS JOIN LATERAL (SELECT o.id FROM notification o WHERE o.wallet_id = w.id OFFSET 0) o))`;
