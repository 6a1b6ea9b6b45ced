import type { MatchedBlock } from "../domain/matched-transaction.ts";
import { arrayLiteral } from "./array-literal.ts";
import { effect, movePending, writeEntries } from "./move-balances.ts";
import { usdValue } from "./promote.ts";
import { ringInserted } from "./ring.ts";
import type { Statements } from "./statements.ts";
import {
  correctBalances,
  moveToBlock,
  readKnown,
  type TransactionRow,
  toTransactionRows,
} from "./write-transactions.ts";

/**
 * Writes what several blocks hold, in two parts: at once what is known already by its identity and moves to its block, as
 * writeTransactions does; and by `insert` what is new, after older rows have been confirmed up to the same height. A new row
 * at or below that height is written confirmed, with its balance, entry and notification: one write where block by block
 * takes two.
 */
export async function writeRange(
  tx: Statements,
  range: { chainName: string; blocks: readonly MatchedBlock[] },
): Promise<{
  recorded: number;
  insert: (upTo: bigint) => Promise<{ confirmed: number; rang: number }>;
}> {
  const { chainName, blocks } = range;
  const rows = blocks.flatMap(({ header, matched }) =>
    toTransactionRows(chainName, header, matched),
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
  return {
    recorded: rows.length,
    insert: (upTo) => insertFresh(tx, { chainName, rows: fresh }, upTo),
  };
}

type Fresh = { chainName: string; rows: readonly TransactionRow[] };

async function insertFresh(
  tx: Statements,
  fresh: Fresh,
  upTo: bigint,
): Promise<{ confirmed: number; rang: number }> {
  const { rows } = fresh;
  if (rows.length === 0) return { confirmed: 0, rang: 0 };
  await insertRows(tx, fresh, upTo);
  const isConfirmed = ({ blockNumber, isUnproven }: TransactionRow) =>
    BigInt(blockNumber) <= upTo && !isUnproven;
  const confirmed = rows.filter(isConfirmed);
  const pending = rows.filter((row) => !isConfirmed(row));
  await movePending(
    tx,
    pending.map((row) => ({ ...row, sign: 1n })),
  );
  await writeEntries(
    tx,
    "confirmation",
    confirmed.map(({ id, walletId, assetId, direction, amountAtomic, blockNumber }) => {
      const effectAtomic = effect({ direction, amountAtomic, sign: 1n });
      return { id, walletId, assetId, effectAtomic, blockNumber: BigInt(blockNumber) };
    }),
  );
  const { rang } = await ringInserted(tx, confirmed);
  return { confirmed: confirmed.length, rang };
}

/** A column each, as arrays: PostgreSQL takes them apart several times as fast as it does one JSON text of all rows. */
async function insertRows(tx: Statements, { chainName, rows }: Fresh, upTo: bigint): Promise<void> {
  const column = (read: (row: TransactionRow) => string | number | null) =>
    arrayLiteral(rows.map(read));
  await tx.$executeRaw`
    INSERT INTO transaction (id, identity, chain_name, business_id, wallet_id, asset_id, type, direction, amount, status,
      tx_hash, from_address, to_address, block_number, block_hash, block_time, ordinal, log_index, trace_path,
      unproven, completed_at, usd_value)
    SELECT transaction.id, identity, ${chainName}, business_id, wallet_id, asset_id, type, direction, amount,
      CASE WHEN is_confirmed THEN 'completed' ELSE 'pending' END,
      tx_hash, from_address, to_address, block_number, block_hash, block_time, ordinal, log_index, trace_path,
      unproven, CASE WHEN is_confirmed THEN now() END, CASE WHEN is_confirmed THEN ${usdValue} END
    FROM unnest(${column(({ id }) => id)}::uuid[], ${column(({ identity }) => identity)}::text[],
      ${column(({ businessId }) => businessId)}::uuid[],
      ${column(({ walletId }) => walletId)}::uuid[], ${column(({ assetId }) => assetId)}::int[],
      ${column(({ type }) => type)}::text[], ${column(({ direction }) => direction)}::text[],
      ${column(({ amount }) => amount)}::numeric[], ${column(({ txHash }) => txHash)}::text[],
      ${column(({ fromAddress }) => fromAddress)}::text[], ${column(({ toAddress }) => toAddress)}::text[],
      ${column(({ blockNumber }) => blockNumber)}::bigint[], ${column(({ blockHash }) => blockHash)}::text[],
      ${column(({ blockTime }) => blockTime)}::timestamptz[], ${column(({ ordinal }) => ordinal)}::int[],
      ${column(({ logIndex }) => logIndex)}::int[], ${column(({ tracePath }) => tracePath || null)}::text[],
      ${column(({ isUnproven }) => String(isUnproven))}::boolean[]
    ) AS transaction(id, identity, business_id, wallet_id, asset_id, type, direction, amount,
      tx_hash, from_address, to_address, block_number, block_hash, block_time, ordinal, log_index, trace_path, unproven)
      CROSS JOIN LATERAL (SELECT block_number <= ${upTo} AND NOT unproven) AS c(is_confirmed)`;
}
