import type { Position } from "../../domain/chain/block.ts";
import { placeOf } from "../../domain/derived-id.ts";
import { leastIdAt } from "../../domain/id.ts";
import { noTransaction } from "../../domain/money/movement.ts";
import {
  confirmation,
  type Entry,
  moveBalances,
  pendingMoves,
  readWeights,
  type ThresholdEntries,
} from "../balances/move-balances.ts";
import { isKnown } from "../balances/open-balances.ts";
import { Prisma } from "../generated/client.ts";
import { type EnteredBy, notify } from "../notifications/notify.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import { isHash } from "../postgres/shortened-hash.ts";
import { prepared } from "../postgres/statement.ts";
import type { TxStatements } from "../postgres/statements.ts";
import { keepSightings } from "../sightings/record-sightings.ts";
import { moveTransactions } from "../transactions/move-transactions.ts";
import type { MovedRow } from "../transactions/transaction-row.ts";

/**
 * After a rewind, keeps transactions whose block is on the branch again, but was not searched for
 * them. A block is not searched for a wallet or asset that began to be watched in it or above it.
 * Such a transaction came from a history, or its asset came back. Nor is a block searched for what
 * is watched no more (see keepOfEnded). After a reorg nothing is kept this way, since the new
 * branch is searched for everything (see lowerChanges).
 *
 * Call it before `settleReorg`, once the replay is as high as the chain was. An opening that was
 * read since then includes the transactions' amounts. So a kept completed transaction weighs
 * nothing beside it, and a pending one is not kept. The opening of an ended wallet or a removed
 * asset is not read again. Adds entries of balances with a threshold to `touched`.
 * @param tip the end of the branch, whose block need not be stored yet
 */
export async function keepUnsearched(
  tx: TxStatements,
  chainName: string,
  tip: Position,
  touched: ThresholdEntries,
): Promise<void> {
  const isThere = Prisma.sql`(transaction.block_hash = ${tip.hash} OR EXISTS (
    SELECT FROM block k WHERE k.chain_name = transaction.chain_name
      AND k.number = transaction.block_number AND k.hash = transaction.block_hash))`;
  await keepOfEnded(tx, chainName, isThere);
  await keepSightings(tx, chainName, tip);
  const kept = await moveTransactions(
    tx,
    Prisma.sql`
      SET orphaned = false
      FROM wallet w, asset a, watch_change added, watch_change configured
      WHERE transaction.chain_name = ${chainName} AND transaction.orphaned
        AND w.id = transaction.wallet_id AND added.id = w.added_change_id
        AND a.id = transaction.asset_id AND configured.id = a.watch_change_id
        AND transaction.block_number <= GREATEST(added.position_number, configured.position_number)
        AND ${isThere}
        AND (transaction.status = 'completed' OR NOT EXISTS (
          SELECT FROM balance b WHERE b.wallet_id = w.id AND b.asset_id = a.id AND b.opening IS NOT NULL AND ${isKnown}))`,
  );
  if (kept.length === 0) return;
  const weights = await readWeights(tx, kept);
  const opened = await tx.$queryRaw<{ id: string }[]>`
    SELECT r.id FROM unnest(${arrayLiteral(kept.map(({ id }) => id))}::uuid[],
        ${arrayLiteral(kept.map(({ walletId }) => walletId))}::uuid[],
        ${arrayLiteral(kept.map(({ assetId }) => assetId))}::int[]) AS r(id, wallet_id, asset_id)
      JOIN balance b ON b.wallet_id = r.wallet_id AND b.asset_id = r.asset_id
        AND b.opening IS NOT NULL AND NOT b.ended
      JOIN asset a ON a.id = b.asset_id AND a.configured`;
  const inOpening = new Set(opened.map(({ id }) => id));
  const rows = kept.filter(({ id }) => inOpening.has(id));
  await moveBalances(tx, { entries: takenBack(rows, weights), pending: [] }, touched);
}

/**
 * Keeps what was pending of wallets and assets that are watched no more. They were watched in its
 * block, and nothing is searched for them now. Leaves out what another wallet has now. `isThere`:
 * the block of a transaction is there.
 */
async function keepOfEnded(
  tx: TxStatements,
  chainName: string,
  isThere: Prisma.Sql,
): Promise<void> {
  await tx.$executeRaw`
    UPDATE transaction SET orphaned = false
    FROM wallet w, asset a, watch_change added, watch_change configured
    WHERE transaction.chain_name = ${chainName} AND transaction.orphaned AND transaction.status = 'pending'
      AND w.id = transaction.wallet_id AND added.id = w.added_change_id
      AND a.id = transaction.asset_id AND configured.id = a.watch_change_id
      AND (w.removed_at IS NOT NULL OR NOT a.configured) AND NOT ${isOfAnother}
      AND transaction.block_number > GREATEST(added.position_number, configured.position_number) AND ${isThere}`;
}

/**
 * Condition on a `transaction` of a wallet `w` and an asset `a`, which began with the change
 * `configured`. The block was searched for another wallet with the same address. So the payment is
 * that wallet's if it is on the branch. The two parts each have an index.
 */
const isOfAnother = Prisma.sql`(a.configured AND EXISTS (
    SELECT FROM (
        SELECT * FROM wallet WHERE chain_name = w.chain_name AND address = w.address AND removed_at IS NULL
        UNION ALL
        SELECT * FROM wallet WHERE chain_name = w.chain_name AND address = w.address AND removed_at IS NOT NULL
      ) other JOIN watch_change began ON began.id = other.added_change_id
      LEFT JOIN watch_change ended ON ended.id = other.removed_change_id
    WHERE other.id <> w.id AND GREATEST(began.position_number, configured.position_number) < transaction.block_number
      AND (ended.id IS NULL OR ended.position_number >= transaction.block_number)
  ))`;

/** The entries that take transactions' weights back. */
function takenBack(rows: readonly MovedRow[], weights: ReadonlyMap<string, bigint>): Entry[] {
  return rows.flatMap((row) => {
    const weight = weights.get(row.id) ?? 0n;
    const taken = { ...confirmation(row), kind: "reversal" as const, effectAtomic: -weight };
    return weight === 0n ? [] : [taken];
  });
}

/**
 * Settles the transactions that a reorg took away (see settleOrphaned). Call it once the new branch
 * is as high as the old one.
 *
 * The new branch was not searched for wallets and assets that are no longer watched. Their pending
 * transactions become dropped, and their completed ones stay. An exception is an address that
 * another wallet has had since below the block. Then the block was searched for the address, and
 * the completed one is reversed. One of a history is deleted, since nobody was notified of it. Adds
 * entries of balances with a threshold to `touched`.
 */
export async function settleReorg(
  tx: TxStatements,
  chainName: string,
  touched: ThresholdEntries,
): Promise<Settled> {
  await tx.$executeRaw`
    UPDATE transaction SET orphaned = false
    FROM wallet w, asset a, watch_change configured
    WHERE transaction.chain_name = ${chainName} AND transaction.orphaned AND transaction.status = 'completed'
      AND w.id = transaction.wallet_id AND a.id = transaction.asset_id AND configured.id = a.watch_change_id
      AND (w.removed_at IS NOT NULL OR NOT a.configured) AND NOT ${isOfAnother}`;
  await tx.$executeRaw`
    DELETE FROM transaction WHERE chain_name = ${chainName} AND orphaned AND is_history`;
  return settleOrphaned(tx, chainName, touched);
}

export type Settled = { dropped: number; reversed: number; notified: number };

export const nothingSettled: Settled = { dropped: 0, reversed: 0, notified: 0 };

/** The sums of two settlements. */
export function together(one: Settled, other: Settled): Settled {
  return {
    dropped: one.dropped + other.dropped,
    reversed: one.reversed + other.reversed,
    notified: one.notified + other.notified,
  };
}

/**
 * Settles every transaction that is still orphaned, because it is on no block: pending becomes
 * dropped, and completed becomes reversed. A reversal takes the transaction's weight back and
 * begins a new round. Both are notified. Adds entries of balances with a threshold to `touched`.
 */
export function settleOrphaned(
  tx: TxStatements,
  chainName: string,
  touched: ThresholdEntries,
): Promise<Settled> {
  return settle(tx, Prisma.sql`chain_name = ${chainName} AND orphaned`, touched);
}

/**
 * Finds what ended wallets keep of payments that other wallets of their addresses have now. A reorg
 * took the payment's block away. The payment came back in a block that was searched for the other
 * wallet.
 * @param confirmed transactions that are confirmed now
 * @returns ids of transactions, to be settled by `settleTaken`
 */
export async function findTaken(
  tx: TxStatements,
  chainName: string,
  confirmed: readonly MovedRow[],
): Promise<readonly string[]> {
  if (confirmed.length === 0) return [];
  // It takes PostgreSQL ten times as long to plan the other statement. Most chains have no ended
  // wallet. ORDER BY makes the planner use the index of ended wallets.
  const ended = await tx.$queryRaw<unknown[]>`
    ${prepared} SELECT FROM wallet WHERE chain_name = ${chainName} AND removed_at IS NOT NULL
    ORDER BY chain_name, address LIMIT 1`;
  if (ended.length === 0) return [];
  const taken = await tx.$queryRaw<{ id: string }[]>`
    SELECT DISTINCT t.id FROM unnest(${arrayLiteral(confirmed.map(({ walletId }) => walletId))}::uuid[],
        ${arrayLiteral(confirmed.map(({ assetId }) => assetId))}::int[],
        ${arrayLiteral(confirmed.map(({ txHash }) => txHash))}::text[]) AS r(wallet_id, asset_id, tx_hash)
      JOIN wallet w ON w.id = r.wallet_id
      JOIN wallet old ON old.chain_name = w.chain_name AND old.address = w.address AND old.removed_at IS NOT NULL
        AND old.id <> w.id
      JOIN transaction t ON ${isHash(Prisma.sql`t.tx_hash`, Prisma.sql`r.tx_hash`)} AND t.wallet_id = old.id
        AND t.asset_id = r.asset_id
    WHERE t.status = 'completed' AND NOT t.orphaned AND r.tx_hash <> ${noTransaction}`;
  const rewards = confirmed.filter(
    ({ type, txHash }) => type === "income" && txHash === noTransaction,
  );
  const again = rewards.length === 0 ? [] : await findTakenRewards(tx, rewards);
  return [...taken, ...again].map(({ id }) => id);
}

/** No reorg moves a reward by more, in ms. */
const movedWithinMs = 24 * 60 * 60_000;

/**
 * As findTaken, for rewards and withdrawals, which have no hash. Two are the same if their amounts
 * are, and the ended wallet's block is not on the chain.
 */
function findTakenRewards(
  tx: TxStatements,
  confirmed: readonly MovedRow[],
): Promise<{ id: string }[]> {
  const times = confirmed.map(({ id }) => placeOf(id).timeMs);
  const since = leastIdAt(new Date(Math.min(...times) - movedWithinMs));
  return tx.$queryRaw<{ id: string }[]>`
    SELECT DISTINCT t.id FROM unnest(${arrayLiteral(confirmed.map(({ walletId }) => walletId))}::uuid[],
        ${arrayLiteral(confirmed.map(({ assetId }) => assetId))}::int[],
        ${arrayLiteral(confirmed.map(({ amountAtomic }) => amountAtomic))}::numeric[]) AS r(wallet_id, asset_id, amount)
      JOIN wallet w ON w.id = r.wallet_id JOIN chain c ON c.name = w.chain_name
      JOIN wallet old ON old.chain_name = w.chain_name AND old.address = w.address AND old.removed_at IS NOT NULL
        AND old.id <> w.id
      JOIN transaction t ON t.wallet_id = old.id AND t.type = 'income' AND t.id >= ${since}::uuid
        AND t.asset_id = r.asset_id AND t.amount = r.amount
    WHERE t.status = 'completed' AND NOT t.orphaned AND t.tx_hash = ${noTransaction}
      AND (t.block_number > c.position_number OR EXISTS (
        SELECT FROM block k WHERE k.chain_name = t.chain_name AND k.number = t.block_number AND k.hash <> t.block_hash))`;
}

/**
 * Takes back what `findTaken` found, so that each payment counts once. A completed transaction
 * becomes reversed. One of a history is deleted. Adds entries of balances with a threshold to
 * `touched`.
 */
export async function settleTaken(
  tx: TxStatements,
  taken: readonly string[],
  touched: ThresholdEntries,
): Promise<Settled> {
  if (taken.length === 0) return nothingSettled;
  const isTaken = Prisma.sql`id = ANY(${arrayLiteral(taken)}::uuid[])`;
  await tx.$executeRaw`DELETE FROM transaction WHERE ${isTaken} AND is_history`;
  return settle(tx, isTaken, touched);
}

/** As settleOrphaned, for the transactions that are meant by `which`. */
async function settle(
  tx: TxStatements,
  which: Prisma.Sql,
  touched: ThresholdEntries,
): Promise<Settled> {
  const dropped = await leave(tx, which, { from: "pending", to: "dropped" });
  const reversed = await leave(tx, which, { from: "completed", to: "reversed" });
  const reversedIds = reversed.map(({ id }) => id);
  const weights = await readWeights(tx, reversed);
  const entries = takenBack(reversed, weights);
  await moveBalances(tx, { entries, pending: pendingMoves(dropped, -1n) }, touched);
  const { notified } = await notify(tx, { dropped, reversed } satisfies EnteredBy<"reorg">);
  // After the notification, which belongs to the round that the reversal ends.
  await tx.$executeRaw`UPDATE transaction SET round = round + 1 WHERE id = ANY(${reversedIds}::uuid[])`;
  return { dropped: dropped.length, reversed: reversed.length, notified };
}

function leave(
  tx: TxStatements,
  which: Prisma.Sql,
  status: { from: string; to: string },
): Promise<MovedRow[]> {
  return moveTransactions(
    tx,
    Prisma.sql`
      SET status = ${status.to}, orphaned = false
      WHERE ${which} AND status = ${status.from}`,
  );
}
