import type { Credit } from "../../domain/credits/credit.ts";
import type { CreditFacts, Received } from "../../domain/credits/judge.ts";
import { toDecimal } from "../../domain/money/amount.ts";
import type { Direction, TransactionStatus } from "../../domain/money/transaction.ts";
import { Prisma } from "../generated/client.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import { isHash } from "../postgres/shortened-hash.ts";
import type { Tx } from "../postgres/transaction.ts";

/** The part of a credit that says which transaction it is for. */
export type Named = Pick<
  Credit,
  "transactionId" | "txHash" | "walletId" | "address" | "asset" | "amount"
>;

/** A transaction `t` with what a credit is compared with. */
const receivedColumns = Prisma.sql`
  t.id AS "transactionId", t.tx_hash AS "txHash", t.direction, t.status, t.orphaned AS "isOrphaned", t.wallet_id AS "walletId", w.address,
  a.code AS "assetCode", a.decimals, t.amount::text AS atomic,
  CASE WHEN t.round = 0 THEN t.completed_at ELSE (
    SELECT min(e.created_at) FROM ledger_entry e WHERE e.transaction_id = t.id AND e.kind = 'confirmation'
  ) END AS "confirmedAt"`;

const received = Prisma.sql`
  transaction t JOIN wallet w ON w.id = t.wallet_id JOIN asset a ON a.id = t.asset_id`;

/** Orders transactions by how well they fit a credit `c`, the best first. */
const bestFirst = Prisma.sql`
  (c.wallet_id IS NULL AND c.address IS NULL OR c.wallet_id = t.wallet_id OR c.wallet_id IS NULL AND c.address = w.address) DESC,
  t.direction, a.code = c.asset DESC, t.amount = c.amount * power(10::numeric, a.decimals) DESC, t.ordinal, t.id`;

/** The credits as rows `c`, with their place in the list as `n`. */
function namedSql(credits: readonly Named[]): Prisma.Sql {
  return Prisma.sql`unnest(
    ${arrayLiteral(credits.map((_, index) => index))}::int[],
    ${arrayLiteral(credits.map(({ transactionId }) => transactionId))}::uuid[],
    ${arrayLiteral(credits.map(({ txHash }) => txHash))}::text[],
    ${arrayLiteral(credits.map(({ walletId }) => walletId))}::uuid[],
    ${arrayLiteral(credits.map(({ address }) => address))}::text[],
    ${credits.map(({ asset }) => asset)}::text[],
    ${arrayLiteral(credits.map(({ amount }) => amount))}::numeric[]
  ) AS c(n, id, tx_hash, wallet_id, address, asset, amount)`;
}

type ReceivedRow = Omit<Received, "direction" | "status" | "amount"> & {
  direction: string;
  status: string;
  decimals: number;
  atomic: string;
};

type FactsRow = { n: number; isWalletKnown: boolean } & (
  | ReceivedRow
  | { [Name in keyof ReceivedRow]: null }
);

const isNamedHash = isHash(Prisma.sql`t.tx_hash`, Prisma.sql`c.tx_hash`);

/**
 * The facts for each credit, in the order of the credits. The transaction is the one with the
 * credit's id. A credit without an id gets the transaction of its hash that fits best.
 */
export async function findReceived(
  tx: Tx,
  businessId: string,
  credits: readonly Named[],
): Promise<CreditFacts[]> {
  if (credits.length === 0) return [];
  const rows = await tx.$queryRaw<FactsRow[]>`
    SELECT c.n, t.*, t."transactionId" IS NOT NULL OR ${isWalletKnown(businessId)} AS "isWalletKnown"
    FROM ${namedSql(credits)} LEFT JOIN LATERAL (
      (SELECT ${receivedColumns} FROM ${received} WHERE t.id = c.id AND t.business_id = ${businessId}::uuid)
      UNION ALL
      (SELECT ${receivedColumns} FROM ${received}
        WHERE c.id IS NULL AND ${isNamedHash} AND t.business_id = ${businessId}::uuid
        ORDER BY ${bestFirst} LIMIT 1)
    ) t ON true
    ORDER BY c.n`;
  return rows.map((row) => ({
    received: row.transactionId === null ? null : toReceived(row),
    isWalletKnown: row.isWalletKnown,
  }));
}

/** True if the business has or had the wallet that `c` names, or if `c` names none. */
function isWalletKnown(businessId: string): Prisma.Sql {
  const withAddress = (when: Prisma.Sql) => Prisma.sql`EXISTS (
    SELECT 1 FROM chain k JOIN wallet w ON w.chain_name = k.name AND w.address = c.address
    WHERE w.business_id = ${businessId}::uuid AND w.removed_at ${when})`;
  return Prisma.sql`CASE
    WHEN c.wallet_id IS NOT NULL THEN
      EXISTS (SELECT 1 FROM wallet w WHERE w.id = c.wallet_id AND w.business_id = ${businessId}::uuid)
    WHEN c.address IS NULL THEN true
    ELSE ${withAddress(Prisma.sql`IS NULL`)} OR ${withAddress(Prisma.sql`IS NOT NULL`)} END`;
}

function toReceived({ decimals, atomic, ...row }: ReceivedRow): Received {
  return {
    transactionId: row.transactionId,
    txHash: row.txHash,
    direction: row.direction as Direction,
    status: row.status as TransactionStatus,
    isOrphaned: row.isOrphaned,
    walletId: row.walletId,
    address: row.address,
    assetCode: row.assetCode,
    amount: toDecimal(BigInt(atomic), decimals),
    confirmedAt: row.confirmedAt,
  };
}

/**
 * For each credit that names a hash, the incoming transactions of that hash and wallet, the best
 * first. No other credit of the run names them yet.
 */
export async function findUnnamed(
  tx: Tx,
  run: { businessId: string; checkId: string },
  credits: readonly Named[],
): Promise<Received[][]> {
  const found: Received[][] = credits.map(() => []);
  if (credits.length === 0) return found;
  const rows = await tx.$queryRaw<(ReceivedRow & { n: number })[]>`
    SELECT c.n, t.* FROM ${namedSql(credits)} CROSS JOIN LATERAL (
      SELECT ${receivedColumns} FROM ${received}
      WHERE ${isNamedHash} AND t.business_id = ${run.businessId}::uuid AND t.direction = 'in'
        AND (c.wallet_id = t.wallet_id OR c.wallet_id IS NULL AND c.address = w.address)
        AND NOT EXISTS (SELECT 1 FROM credit_line l WHERE l.check_id = ${run.checkId}::uuid
          AND l.transaction_id = t.id AND l.verdict <> 'not_received')
      ORDER BY ${bestFirst}
    ) t ORDER BY c.n`;
  for (const row of rows) found[row.n]?.push(toReceived(row));
  return found;
}
