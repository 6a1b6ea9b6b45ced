import { Fault } from "../../domain/fault.ts";
import { type BalanceKey, balanceKeyOf } from "../../domain/money/balance.ts";
import { type Direction, signedAmount } from "../../domain/money/transaction.ts";
import { Prisma } from "../generated/client.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import { preparedByIndex } from "../postgres/statement.ts";
import type { TxStatements } from "../postgres/statements.ts";
import { openBalances } from "./open-balances.ts";

/** An amount that is added to a wallet's balance of an asset; negative to take away. */
export type Move = { walletId: string; assetId: number; effectAtomic: bigint };

/** A move of the confirmed balance, which the journal keeps. */
export type Entry = Move & {
  transactionId: string;
  kind: "confirmation" | "reversal";
  blockNumber: bigint;
};

type Moving = {
  id: string;
  walletId: string;
  assetId: number;
  direction: Direction;
  amountAtomic: bigint;
};

/** The ledger entry that adds a transaction to the confirmed balance. */
export function confirmation(row: Moving & { blockNumber: bigint }): Entry {
  const { id, walletId, assetId, blockNumber } = row;
  const effectAtomic = signedAmount(row);
  return { transactionId: id, walletId, assetId, kind: "confirmation", effectAtomic, blockNumber };
}

/**
 * The amounts that transactions add to the pending balances. With sign -1 they are subtracted
 * again. Only incoming transactions are shown as pending.
 */
export function pendingMoves(rows: readonly Moving[], sign: 1n | -1n): Move[] {
  return rows
    .filter(({ direction }) => direction === "in")
    .map(({ walletId, assetId, amountAtomic }) => ({
      walletId,
      assetId,
      effectAtomic: sign * amountAtomic,
    }));
}

/**
 * The entries of one PostgreSQL transaction that moved balances with a threshold, in their order.
 * The owner of that transaction judges them at its end (see notifyCrossings). So a transfer that a
 * reorg takes away and brings back in one transaction crosses no threshold.
 */
export type ThresholdEntries = Entry[];

/**
 * Moves balances, and writes the entries that explain the moves. Adds entries of balances with a
 * threshold to `touched`. It makes balances that are missing. An asset's balances may still be in
 * the making. Or its wallet was archived, or the asset removed, before they were made. The caller
 * holds the chain's lock.
 *
 * It is usually one statement. Call it once a transaction if possible. PostgreSQL checks all
 * foreign keys of a row again when one transaction changes the row twice.
 * @throws Fault `invariant_broken` if there is no such wallet or asset
 */
export async function moveBalances(
  tx: TxStatements,
  moves: { entries: readonly Entry[]; pending: readonly Move[] },
  touched: ThresholdEntries,
): Promise<void> {
  const { entries } = moves;
  const sums = sumByBalance(moves);
  if (sums.length === 0) return;
  const first = await move(tx, { entries, sums, isOpened: false });
  const left = first.unmoved;
  if (left.length > 0) await openFor(tx, left, { isEach: true });
  const second = left.length > 0 ? await move(tx, { entries, sums: left, isOpened: true }) : null;
  if (second !== null && second.unmoved.length > 0)
    throw new Fault("invariant_broken", "A watched wallet has no balance of its asset.");
  const judged = new Set(
    [...first.withThreshold, ...(second?.withThreshold ?? [])].map(balanceKeyOf),
  );
  if (judged.size > 0) touched.push(...entries.filter((entry) => judged.has(balanceKeyOf(entry))));
}

/**
 * Moves balances in one statement, and writes the entries if it moved all of them. With `isOpened`
 * false it moves none if any of the assets is still being opened.
 * @returns the balances that are missing or were not moved, and the moved ones with a threshold
 */
async function move(
  tx: TxStatements,
  moving: { entries: readonly Entry[]; sums: readonly Sum[]; isOpened: boolean },
): Promise<{ unmoved: readonly Sum[]; withThreshold: BalanceKey[] }> {
  const { entries, sums, isOpened } = moving;
  const openings = isOpened ? [] : [...new Set(sums.map(({ assetId }) => assetId))];
  const [answer] = await tx.$queryRaw<
    { count: number; moved: BalanceKey[] | null; withThreshold: BalanceKey[] | null }[]
  >`
    ${preparedByIndex} WITH moved AS (
      UPDATE balance b SET confirmed = b.confirmed + r.confirmed, pending = b.pending + r.pending
      FROM unnest(${arrayLiteral(sums.map(({ walletId }) => walletId))}::uuid[],
        ${arrayLiteral(sums.map(({ assetId }) => assetId))}::int[],
        ${arrayLiteral(sums.map(({ confirmed }) => confirmed))}::numeric[],
        ${arrayLiteral(sums.map(({ pending }) => pending))}::numeric[],
        ${arrayLiteral(sums.map(({ hasEntry }) => String(hasEntry)))}::boolean[]
      ) AS r(wallet_id, asset_id, confirmed, pending, has_entry)
      WHERE b.wallet_id = r.wallet_id AND b.asset_id = r.asset_id AND NOT EXISTS (
        SELECT FROM asset WHERE id = ANY(${arrayLiteral(openings)}::int[]) AND opening_after IS NOT NULL)
      RETURNING b.wallet_id, b.asset_id, r.has_entry
    ), counted AS (
      SELECT count(*) = ${sums.length}::int AS is_whole FROM moved
    ), written AS (
      INSERT INTO ledger_entry (wallet_id, asset_id, transaction_id, kind, amount, block_number)
      SELECT * FROM unnest(${arrayLiteral(entries.map(({ walletId }) => walletId))}::uuid[],
        ${arrayLiteral(entries.map(({ assetId }) => assetId))}::int[],
        ${arrayLiteral(entries.map(({ transactionId }) => transactionId))}::uuid[],
        ${arrayLiteral(entries.map(({ kind }) => kind))}::text[],
        ${arrayLiteral(entries.map(({ effectAtomic }) => effectAtomic))}::numeric[],
        ${arrayLiteral(entries.map(({ blockNumber }) => blockNumber))}::bigint[])
      WHERE (SELECT is_whole FROM counted)
    )
    SELECT count(*)::int AS count, jsonb_agg(${keySql}) FILTER (WHERE NOT (SELECT is_whole FROM counted)) AS moved,
      jsonb_agg(${keySql}) FILTER (WHERE has_entry AND EXISTS (SELECT FROM threshold t
        WHERE t.wallet_id = moved.wallet_id AND t.asset_id = moved.asset_id AND t.ended_at IS NULL)) AS "withThreshold"
    FROM moved`;
  const moved = new Set(answer?.moved?.map(balanceKeyOf));
  return {
    unmoved:
      answer?.count === sums.length ? [] : sums.filter((sum) => !moved.has(balanceKeyOf(sum))),
    withThreshold: answer?.withThreshold ?? [],
  };
}

const keySql = Prisma.sql`jsonb_build_object('walletId', wallet_id, 'assetId', asset_id)`;

/** Makes missing balances. With `isEach` false, only of assets that are still being opened. */
async function openFor(
  tx: TxStatements,
  balances: readonly BalanceKey[],
  { isEach }: { isEach: boolean },
): Promise<void> {
  const assets = await tx.$queryRaw<{ id: number }[]>`
    SELECT id FROM asset
    WHERE id = ANY(${arrayLiteral(balances.map(({ assetId }) => assetId))}::int[])
      AND (${isEach}::boolean OR opening_after IS NOT NULL)
    ORDER BY id`;
  for (const { id } of assets) {
    const ofAsset = balances.filter(({ assetId }) => assetId === id);
    await openBalances(tx, id, [...new Set(ofAsset.map(({ walletId }) => walletId))]);
  }
}

type Sum = BalanceKey & { confirmed: bigint; pending: bigint; hasEntry: boolean };

/**
 * One row for each wallet and asset. An UPDATE ... FROM uses only one of several rows that match
 * the same target. Entries that cancel out have a row too, since they may cross a threshold.
 */
function sumByBalance(moves: { entries: readonly Entry[]; pending: readonly Move[] }): Sum[] {
  const sums = new Map<string, Sum>();
  const sumOf = ({ walletId, assetId }: Move): Sum => {
    const key = balanceKeyOf({ walletId, assetId });
    const sum = sums.get(key) ?? {
      walletId,
      assetId,
      confirmed: 0n,
      pending: 0n,
      hasEntry: false,
    };
    sums.set(key, sum);
    return sum;
  };
  for (const entry of moves.entries) {
    const sum = sumOf(entry);
    sum.confirmed += entry.effectAtomic;
    sum.hasEntry = true;
  }
  for (const move of moves.pending) sumOf(move).pending += move.effectAtomic;
  return [...sums.values()].filter(({ pending, hasEntry }) => hasEntry || pending !== 0n);
}

type Weights = Map<string, bigint>;

/**
 * Reads the weight of transactions before it changes, by transaction id. A weight is the sum of a
 * transaction's entries. The caller holds the chain's lock.
 *
 * A transaction weighs nothing if it was confirmed before its asset left the configuration and came
 * back. The new opening includes its amount. So the balances of an asset that is being opened are
 * made first. That also writes the entries which take a stale balance back.
 */
export async function readWeights(
  tx: TxStatements,
  rows: readonly (BalanceKey & { id: string })[],
): Promise<Weights> {
  if (rows.length === 0) return new Map();
  await openFor(tx, rows, { isEach: false });
  const weights = await tx.$queryRaw<{ id: string; weight: string }[]>`
    SELECT transaction_id AS id, sum(amount)::text AS weight FROM ledger_entry
    WHERE transaction_id = ANY(${arrayLiteral(rows.map(({ id }) => id))}::uuid[]) GROUP BY transaction_id`;
  return new Map(weights.map(({ id, weight }) => [id, BigInt(weight)]));
}
