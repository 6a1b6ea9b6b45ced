import { pricedColumns, pricedNow } from "../balances/usd-value.ts";
import { Prisma } from "../generated/client.ts";
import { arrayLiteral, byteaArray } from "../postgres/array-literal.ts";
import { prepared } from "../postgres/statement.ts";
import type { Statements, TxStatements } from "../postgres/statements.ts";
import type { TransactionRow } from "./transaction-row.ts";

/**
 * Inserts new transactions as pending. Proven ones at or below `confirmTo` are inserted as
 * completed.
 */
export function insertTransactions(
  tx: TxStatements,
  rows: readonly TransactionRow[],
  confirmTo: bigint | null,
): void {
  if (rows.length === 0) return;
  tx.$sendRaw`
    ${prepared} INSERT INTO transaction (${columns}, status, completed_at, ${pricedColumns})
    SELECT ${columns}, CASE WHEN is_confirmed THEN 'completed' ELSE 'pending' END,
      CASE WHEN is_confirmed THEN now() END, ${pricedColumns}
    FROM ${written(rows)}
      CROSS JOIN LATERAL (SELECT coalesce(block_number <= ${confirmTo}::bigint, false) AND NOT unproven) AS c(is_confirmed)
      LEFT JOIN LATERAL ${pricedNow} AS priced(${pricedColumns}) ON is_confirmed`;
}

/**
 * Inserts unknown transactions from before their wallet was watched. They are completed, and have
 * no value in US dollars.
 */
export async function insertHistory(
  tx: Statements,
  rows: readonly TransactionRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await tx.$executeRaw`
    INSERT INTO transaction (${columns}, status, completed_at, is_history)
    SELECT ${columns}, 'completed', now(), true FROM ${written(rows)}`;
}

const columns = Prisma.sql`
  id, identity, chain_name, business_id, wallet_id, asset_id, type, direction, amount, tx_hash, from_address, to_address,
  block_number, block_hash, block_time, ordinal, log_index, trace_path, unproven, proof, memo, virtual_address`;

/** One array for each column: PostgreSQL reads arrays several times as fast as JSON of all rows. */
function written(rows: readonly TransactionRow[]): Prisma.Sql {
  const column = (read: (row: TransactionRow) => string | number | bigint | null) =>
    arrayLiteral(rows.map(read));
  return Prisma.sql`unnest(
      ${column(({ id }) => id)}::uuid[], ${byteaArray(rows.map(({ identity }) => identity))}::bytea[],
      ${column(({ chainName }) => chainName)}::text[], ${column(({ businessId }) => businessId)}::uuid[],
      ${column(({ walletId }) => walletId)}::uuid[], ${column(({ assetId }) => assetId)}::int[],
      ${column(({ type }) => type)}::text[], ${column(({ direction }) => direction)}::text[],
      ${column(({ amountAtomic }) => amountAtomic)}::numeric[], ${column(({ txHash }) => txHash)}::text[],
      ${column(({ fromAddress }) => fromAddress)}::text[], ${column(({ toAddress }) => toAddress)}::text[],
      ${column(({ blockNumber }) => blockNumber)}::bigint[], ${column(({ blockHash }) => blockHash)}::text[],
      ${column(({ blockTime }) => blockTime)}::timestamptz[], ${column(({ ordinal }) => ordinal)}::int[],
      ${column(({ logIndex }) => logIndex)}::int[], ${column(({ tracePath }) => tracePath)}::text[],
      ${column(({ isUnproven }) => String(isUnproven))}::boolean[], ${column(({ proof }) => proof)}::text[],
      ${column(({ memo }) => memo)}::text[], ${column(({ virtualAddress }) => virtualAddress)}::text[]
    ) AS transaction(${columns})`;
}
