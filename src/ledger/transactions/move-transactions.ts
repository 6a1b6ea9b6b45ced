import { Prisma } from "../generated/client.ts";
import type { Statements } from "../postgres/statements.ts";
import type { MovedRow } from "./transaction-row.ts";

/**
 * Updates transactions, and answers those that changed, in the order in which they happened.
 * @param change the rest of `UPDATE transaction`: what to set, and where
 * @param mark how the statement is planned. Left out: each time
 */
export function moveTransactions(
  tx: Statements,
  change: Prisma.Sql,
  mark = Prisma.empty,
): Promise<MovedRow[]> {
  return readMoved(tx, Prisma.sql`UPDATE transaction ${change} RETURNING ${columns}`, mark);
}

/**
 * Reads transactions in the order in which they happened, in the form of moveTransactions.
 * @param which a condition on `transaction`
 */
export function readTransactionsThat(tx: Statements, which: Prisma.Sql): Promise<MovedRow[]> {
  return readMoved(tx, Prisma.sql`SELECT ${columns} FROM transaction WHERE ${which}`, Prisma.empty);
}

async function readMoved(tx: Statements, moved: Prisma.Sql, mark: Prisma.Sql): Promise<MovedRow[]> {
  const rows = await tx.$queryRaw<(Omit<MovedRow, "amountAtomic"> & { amount: string })[]>`
    ${mark} WITH moved AS (${moved})
    SELECT id, chain_name AS "chainName", business_id AS "businessId", wallet_id AS "walletId", asset_id AS "assetId", type,
      direction, amount::text, tx_hash AS "txHash", from_address AS "fromAddress", to_address AS "toAddress",
      block_number AS "blockNumber", ordinal, round, memo, virtual_address AS "virtualAddress", proof,
      confirmed_alone AS "confirmedAlone"
    FROM moved ORDER BY block_number, ordinal`;
  return rows.map(({ amount, ...row }) => ({ ...row, amountAtomic: BigInt(amount) }));
}

const columns = Prisma.sql`
  transaction.id, transaction.chain_name, transaction.business_id, transaction.wallet_id, transaction.asset_id,
  transaction.type, transaction.direction, transaction.amount, transaction.tx_hash, transaction.from_address,
  transaction.to_address, transaction.block_number, transaction.ordinal, transaction.round, transaction.memo,
  transaction.virtual_address, transaction.proof, transaction.confirmed_alone`;
