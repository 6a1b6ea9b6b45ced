import type { BlockHeader } from "../domain/block.ts";
import { idAt } from "../domain/id.ts";
import type { MatchedTransaction } from "../domain/matched-transaction.ts";
import type { TransactionStatus } from "../domain/transaction.ts";
import { arrayLiteral } from "./array-literal.ts";
import { Prisma } from "./generated/client.ts";
import { effect, movePending, readWeights, writeEntries } from "./move-balances.ts";
import { ring } from "./ring.ts";
import type { Statements } from "./statements.ts";

/**
 * Writes a block's matched transactions. A new one is pending. One that is known by its identity moves to this block:
 * orphaned, it stays what it was and rings nothing; dropped or reversed, it is pending again under the same id (I3). What
 * it costs may be another amount there: a fee goes by the block's price of gas.
 */
export async function writeTransactions(
  tx: Statements,
  block: { chainName: string; header: BlockHeader; matched: MatchedTransaction[] },
): Promise<{ rang: number }> {
  const { chainName, header, matched } = block;
  if (matched.length === 0) return { rang: 0 };
  const known = await readKnown(tx, matched);
  const rows = toTransactionRows(chainName, header, matched);
  const fresh = rows.filter(({ identity }) => !known.has(identity));
  const again = rows.flatMap((row) => {
    const before = known.get(row.identity);
    return before === undefined ? [] : [{ ...row, ...before }];
  });
  const revived = again.filter((row) => row.status === "dropped" || row.status === "reversed");

  if (fresh.length > 0) await insertTransactions(tx, fresh, { isHistory: false });
  await correctBalances(tx, again);
  if (again.length > 0) await moveToBlock(tx, again);

  const pending = [...fresh, ...revived];
  await movePending(
    tx,
    pending.map((row) => ({ ...row, sign: 1n })),
  );
  return ring(tx, { state: "pending", transactionIds: pending.map((row) => row.id) });
}

type Known = {
  id: string;
  status: TransactionStatus;
  /** What it was in the block that it was last seen in. */
  amountBefore: bigint;
};

/** Those that are in the ledger already, by identity. */
export async function readKnown(
  tx: Statements,
  rows: readonly { identity: string }[],
): Promise<Map<string, Known>> {
  const identities = arrayLiteral(rows.map(({ identity }) => identity));
  const found = await tx.$queryRaw<
    (Omit<Known, "amountBefore"> & { identity: string; amount: string })[]
  >`
    SELECT identity, id, status, amount::text FROM transaction
    WHERE identity = ANY(${identities}::text[])`;
  return new Map(
    found.map(({ identity, id, status, amount }) => [
      identity,
      { id, status, amountBefore: BigInt(amount) },
    ]),
  );
}

/** A matched transaction in its block, as the table has it. */
export type TransactionRow = ReturnType<typeof toTransactionRows>[number];

/**
 * Lets those that are counted already weigh what they are here. A completed one may weigh something else, or nothing at
 * all (see readWeights).
 */
export async function correctBalances(
  tx: Statements,
  again: (TransactionRow & Known)[],
): Promise<void> {
  const pending = again.filter(
    (row) => row.status === "pending" && row.amountAtomic !== row.amountBefore,
  );
  await movePending(tx, [
    ...pending.map((row) => ({ ...row, amountAtomic: row.amountBefore, sign: -1n }) as const),
    ...pending.map((row) => ({ ...row, sign: 1n }) as const),
  ]);
  const completed = again.filter((row) => row.status === "completed");
  if (completed.length === 0) return;
  const weights = await readWeights(
    tx,
    completed.map((row) => row.id),
  );
  const wrong = completed
    .map((row) => ({
      row,
      weight: weights.get(row.id) ?? 0n,
      due: effect({ ...row, sign: 1n }),
      blockNumber: BigInt(row.blockNumber),
    }))
    .filter(({ weight, due }) => weight !== due);
  const counted = wrong.filter(({ weight }) => weight !== 0n);
  await writeEntries(
    tx,
    "reversal",
    counted.map(({ row, weight, blockNumber }) => ({ ...row, effectAtomic: -weight, blockNumber })),
  );
  await writeEntries(
    tx,
    "confirmation",
    wrong.map(({ row, due, blockNumber }) => ({ ...row, effectAtomic: due, blockNumber })),
  );
}

/**
 * A block's transactions as the table has them. Field by field: spreading objects of this size took longer than
 * reading their blocks.
 */
export function toTransactionRows(
  chainName: string,
  header: BlockHeader,
  matched: readonly MatchedTransaction[],
) {
  const idBase = idOrdinal(header.number);
  const blockNumber = header.number.toString();
  const blockTime = new Date(header.timeMs).toISOString();
  return matched.map((transaction) => ({
    id: idAt(header.timeMs, idBase + Math.min(transaction.ordinal, placesInBlock - 1)),
    identity: transaction.identity,
    chainName,
    businessId: transaction.businessId,
    walletId: transaction.walletId,
    assetId: transaction.assetId,
    type: transaction.type,
    direction: transaction.direction,
    amount: transaction.amountAtomic.toString(),
    amountAtomic: transaction.amountAtomic,
    txHash: transaction.txHash,
    fromAddress: transaction.fromAddress,
    toAddress: transaction.toAddress,
    blockNumber,
    blockHash: header.hash,
    blockTime,
    ordinal: transaction.ordinal,
    logIndex: transaction.logIndex,
    tracePath: transaction.tracePath,
    isUnproven: transaction.isUnproven,
  }));
}

const placesInBlock = 2 ** 20;

/**
 * Id order is history order, also on chains with several blocks in one timestamp: the block's number modulo 4096
 * above 2^20 places for what is in it.
 */
function idOrdinal(blockNumber: bigint): number {
  return Number(blockNumber % 4096n) * placesInBlock;
}

// As JSON: one parameter for any number of rows, nulls included. bigint is not JSON and is not needed: `amount` is.
function toJson(rows: object[]): string {
  return JSON.stringify(rows, (_, value: unknown) =>
    typeof value === "bigint" ? undefined : value,
  );
}

/** As pending; as history they are completed already, and one that is known stays as it is. */
export async function insertTransactions(
  tx: Statements,
  rows: TransactionRow[],
  { isHistory }: { isHistory: boolean },
): Promise<void> {
  const status = isHistory ? "completed" : "pending";
  await tx.$executeRaw`
    INSERT INTO transaction (id, identity, chain_name, business_id, wallet_id, asset_id, type, direction, amount, status,
      is_history, completed_at, unproven, tx_hash, from_address, to_address, block_number, block_hash, block_time, ordinal,
      log_index, trace_path)
    SELECT id, identity, "chainName", "businessId", "walletId", "assetId", type, direction, amount, ${status},
      ${isHistory}, CASE WHEN ${isHistory} THEN now() END, "isUnproven", "txHash", "fromAddress", "toAddress", "blockNumber",
      "blockHash", "blockTime", ordinal, "logIndex", "tracePath"
    FROM jsonb_to_recordset(${toJson(rows)}::jsonb) AS r(
      id uuid, identity text, "chainName" text, "businessId" uuid, "walletId" uuid, "assetId" int, type text,
      direction text, amount numeric, "txHash" text, "fromAddress" text, "toAddress" text, "blockNumber" bigint,
      "blockHash" text, "blockTime" timestamptz, ordinal int, "logIndex" int, "tracePath" text, "isUnproven" boolean)
    ${isHistory ? Prisma.sql`ON CONFLICT (identity) DO NOTHING` : Prisma.empty}`;
}

/** Rows that are known take their place in the block they are in now; dropped or reversed ones are pending again. */
export async function moveToBlock(tx: Statements, rows: TransactionRow[]): Promise<void> {
  await tx.$executeRaw`
    UPDATE transaction t SET
      orphaned = false,
      status = CASE WHEN t.status IN ('dropped', 'reversed') THEN 'pending' ELSE t.status END,
      completed_at = CASE WHEN t.status IN ('dropped', 'reversed') THEN NULL ELSE t.completed_at END,
      unproven = r."isUnproven" AND t.status <> 'completed',
      amount = r.amount, usd_value = CASE WHEN t.amount = r.amount THEN t.usd_value END,
      block_number = r."blockNumber", block_hash = r."blockHash", block_time = r."blockTime",
      ordinal = r.ordinal, log_index = r."logIndex", trace_path = r."tracePath"
    FROM jsonb_to_recordset(${toJson(rows)}::jsonb) AS r(
      id uuid, amount numeric, "blockNumber" bigint, "blockHash" text, "blockTime" timestamptz, ordinal int,
      "logIndex" int, "tracePath" text, "isUnproven" boolean)
    WHERE t.id = r.id`;
}
