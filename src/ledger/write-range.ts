import type { MatchedBlock } from "../domain/matched-transaction.ts";
import type { Tx } from "./database.ts";
import { moveConfirmed, movePending } from "./move-balances.ts";
import { usdValue } from "./promote.ts";
import { ring } from "./ring.ts";
import {
  correctBalances,
  moveToBlock,
  readKnown,
  type TransactionRow,
  toTransactionRow,
} from "./write-transactions.ts";

/**
 * Writes what several blocks hold, in two parts: at once what is known already by its identity and moves to its block, as
 * writeTransactions does; and by `insert` what is new, after older rows have been confirmed up to the same height. A new row
 * at or below that height is written confirmed, with its balance, entry and notification: one write where block by block
 * takes two.
 */
export async function writeRange(
  tx: Tx,
  range: { chainName: string; blocks: readonly MatchedBlock[] },
): Promise<{
  recorded: number;
  insert: (upTo: bigint) => Promise<{ confirmed: number; rang: number }>;
}> {
  const { chainName, blocks } = range;
  const rows = blocks.flatMap(({ header, matched }) =>
    matched.map((one) => toTransactionRow(chainName, header, one)),
  );
  if (rows.length === 0) return { recorded: 0, insert: async () => ({ confirmed: 0, rang: 0 }) };
  const known = await readKnown(tx, rows);
  const again = rows.flatMap((row) => {
    const before = known.get(row.identity);
    return before === undefined ? [] : [{ ...row, ...before }];
  });
  await correctBalances(tx, again);
  if (again.length > 0) await moveToBlock(tx, again);
  const revived = again.filter(({ status }) => status === "dropped" || status === "reversed");
  await movePending(
    tx,
    revived.map((row) => ({ ...row, sign: 1n })),
  );
  const fresh = rows.filter(({ identity }) => !known.has(identity));
  return { recorded: rows.length, insert: (upTo) => insertFresh(tx, fresh, upTo) };
}

async function insertFresh(
  tx: Tx,
  rows: readonly TransactionRow[],
  upTo: bigint,
): Promise<{ confirmed: number; rang: number }> {
  if (rows.length === 0) return { confirmed: 0, rang: 0 };
  await insertRows(tx, rows, upTo);
  const isConfirmed = (row: { blockNumber: bigint; isUnproven: boolean }) =>
    row.blockNumber <= upTo && !row.isUnproven;
  const placed = rows.map((row) => ({ ...row, blockNumber: BigInt(row.blockNumber) }));
  const confirmed = placed.filter(isConfirmed);
  const pending = placed.filter((row) => !isConfirmed(row));
  await movePending(
    tx,
    pending.map((row) => ({ ...row, sign: 1n })),
  );
  await moveConfirmed(
    tx,
    "confirmation",
    confirmed.map((row) => ({ ...row, sign: 1n })),
  );
  const transactionIds = confirmed.map(({ id }) => id);
  const { rang } = await ring(tx, { state: "confirmed", transactionIds });
  return { confirmed: confirmed.length, rang };
}

/** A column each, as arrays: PostgreSQL takes them apart several times as fast as it does one JSON text of all rows. */
async function insertRows(tx: Tx, rows: readonly TransactionRow[], upTo: bigint): Promise<void> {
  const column = <T>(read: (row: TransactionRow) => T) => rows.map(read);
  // In the place of nulls, which the driver does not take in an array.
  const none = -1;
  await tx.$executeRaw`
    INSERT INTO transaction (id, identity, chain_name, business_id, wallet_id, asset_id, type, direction, amount, status,
      tx_hash, from_address, to_address, block_number, block_hash, block_time, ordinal, log_index, trace_path,
      unproven, completed_at, usd_value)
    SELECT transaction.id, identity, chain_name, business_id, wallet_id, asset_id, type, direction, amount,
      CASE WHEN is_confirmed THEN 'completed' ELSE 'pending' END,
      tx_hash, from_address, to_address, block_number, block_hash, block_time, ordinal, NULLIF(log_index, ${none}),
      NULLIF(trace_path, ''), unproven, CASE WHEN is_confirmed THEN now() END,
      CASE WHEN is_confirmed THEN ${usdValue} END
    FROM unnest(${column(({ id }) => id)}::uuid[], ${column(({ identity }) => identity)}::text[],
      ${column(({ chainName }) => chainName)}::text[], ${column(({ businessId }) => businessId)}::uuid[],
      ${column(({ walletId }) => walletId)}::uuid[], ${column(({ assetId }) => assetId)}::int[],
      ${column(({ type }) => type)}::text[], ${column(({ direction }) => direction)}::text[],
      ${column(({ amount }) => amount)}::numeric[], ${column(({ txHash }) => txHash)}::text[],
      ${column(({ fromAddress }) => fromAddress)}::text[], ${column(({ toAddress }) => toAddress)}::text[],
      ${column(({ blockNumber }) => blockNumber)}::bigint[], ${column(({ blockHash }) => blockHash)}::text[],
      ${column(({ blockTime }) => blockTime)}::timestamptz[], ${column(({ ordinal }) => ordinal)}::int[],
      ${column(({ logIndex }) => logIndex ?? none)}::int[], ${column(({ tracePath }) => tracePath ?? "")}::text[],
      ${column(({ isUnproven }) => isUnproven)}::boolean[]
    ) AS transaction(id, identity, chain_name, business_id, wallet_id, asset_id, type, direction, amount,
      tx_hash, from_address, to_address, block_number, block_hash, block_time, ordinal, log_index, trace_path, unproven)
      CROSS JOIN LATERAL (SELECT block_number <= ${upTo} AND NOT unproven) AS c(is_confirmed)`;
}
