import { nilId } from "../../domain/id.ts";
import type { AssetKind } from "../../domain/money/asset.ts";
import { type AssetAddress, noTransaction } from "../../domain/money/movement.ts";
import type {
  HistoryCursor,
  HistoryStretch,
  HistorySum,
  HistoryVerdict,
  HistoryWallet,
  PlannedHistory,
  ReadHistory,
  StretchOutcome,
} from "../../domain/watch/history.ts";
import { isKnown } from "../balances/open-balances.ts";
import { lockChain } from "../chain/chain-state.ts";
import { notify } from "../notifications/notify.ts";
import type { Database } from "../postgres/database.ts";
import { modelsOf } from "../postgres/models.ts";
import { reaching } from "../postgres/reaching.ts";
import { type Statements, statementsOf } from "../postgres/statements.ts";
import { inSnapshot, inTransaction, type Tx } from "../postgres/transaction.ts";
import { insertHistory } from "../transactions/insert-transactions.ts";
import { bringBack, readKnown } from "../transactions/known-transactions.ts";
import { asShownBefore } from "../transactions/shown-before.ts";
import { type MovedRow, toTransactionRows } from "../transactions/transaction-row.ts";
import { correctionTypes } from "../transactions/transaction-words.ts";

/** At most this many wallets share one reading of their blocks. They take some megabytes. */
const maxWallets = 5_000;

type WalletRow = Omit<HistoryWallet, "until"> & { nextNumber: bigint };

/** Sorts before every wallet of every block. */
const start: HistoryCursor = { number: -1n, walletId: nilId };

/**
 * The next confirmed blocks to read for histories, `maxBlocks` at most, and all wallets whose
 * histories lack just these blocks. They are the lowest blocks that any history lacks. Wallets up
 * to the cursor are left out.
 */
export async function readHistoryPlan(
  db: Database,
  chainName: string,
  page: { after: HistoryCursor | null; maxBlocks: bigint },
): Promise<PlannedHistory> {
  if (!(await isAnyOpen(db, chainName))) return { kind: "nothing", next: null };
  return inSnapshot(db, async (tx) => {
    const chain = await tx.chain.findUnique({ where: { name: chainName } });
    if (chain?.confirmedNumber == null || chain.settleNumber !== null)
      return { kind: "not_now", next: null };
    const rows = await readLowest(tx, chainName, page.after ?? start);
    const last = rows.at(-1);
    if (last === undefined) return { kind: "nothing", next: null };
    const from = last.nextNumber;
    const wallets = await withAssets(tx, rows);
    const highest = wallets
      .flatMap(({ until }) => [...until.values()])
      .reduce((high, one) => (one > high ? one : high), -1n);
    const others = await readNextAbove(tx, chainName, from);
    const isMore = others !== null || rows.length === maxWallets;
    const next = isMore ? { number: from, walletId: last.id } : null;
    const ends = [from + page.maxBlocks - 1n, highest, chain.confirmedNumber];
    if (others !== null) ends.push(others - 1n);
    const to = ends.reduce((low, one) => (one < low ? one : low));
    // If all blocks of these wallets are read, an empty plan leads to their verdict. Blocks that
    // are not confirmed are left for later.
    if (to < from && highest >= from) return { kind: "nothing", next };
    const plan = { from, to, wallets, assets: await readAssets(tx, chainName) };
    return { kind: "planned", plan, next };
  });
}

/** True if some history of the chain is not read to its end. That is rare. */
async function isAnyOpen(db: Database, chainName: string): Promise<boolean> {
  const rows = await statementsOf(db).$queryRaw<object[]>`
    SELECT next_number FROM history WHERE chain_name = ${chainName} AND verdict IS NULL ORDER BY next_number LIMIT 1`;
  return rows.length > 0;
}

async function readLowest(tx: Tx, chainName: string, after: HistoryCursor): Promise<WalletRow[]> {
  return tx.$queryRaw<WalletRow[]>`
    WITH lowest AS (
      SELECT next_number FROM history
      WHERE chain_name = ${chainName} AND verdict IS NULL
        AND (next_number, wallet_id) > (${after.number}, ${after.walletId}::uuid)
      ORDER BY next_number, wallet_id LIMIT 1
    )
    SELECT w.id, w.business_id AS "businessId", w.address, w.purpose, h.from_number AS "fromNumber",
      h.next_number AS "nextNumber"
    FROM history h JOIN wallet w ON w.id = h.wallet_id
    WHERE h.chain_name = ${chainName} AND h.verdict IS NULL AND h.next_number = (SELECT next_number FROM lowest)
      AND (h.next_number, h.wallet_id) > (${after.number}, ${after.walletId}::uuid)
    ORDER BY h.wallet_id LIMIT ${maxWallets}`;
}

async function readNextAbove(tx: Tx, chainName: string, above: bigint): Promise<bigint | null> {
  const rows = await tx.$queryRaw<{ next: bigint | null }[]>`
    SELECT min(next_number) AS next FROM history
    WHERE chain_name = ${chainName} AND verdict IS NULL AND next_number > ${above}`;
  return rows[0]?.next ?? null;
}

async function withAssets(tx: Tx, rows: WalletRow[]): Promise<HistoryWallet[]> {
  const until = await readUntil(
    tx,
    rows.map(({ id }) => id),
  );
  return rows.map(({ nextNumber: _, ...row }) => ({
    ...row,
    until: until.get(row.id) ?? new Map(),
  }));
}

/** The ends of the histories of these wallets, by wallet and by asset. */
async function readUntil(
  tx: Tx,
  walletIds: readonly string[],
): Promise<ReadonlyMap<string, HistoryWallet["until"]>> {
  const balances = await tx.$queryRaw<{ walletId: string; assetId: number; until: bigint }[]>`
    SELECT b.wallet_id AS "walletId", b.asset_id AS "assetId", COALESCE(c.position_number, -1) AS until
    FROM balance b JOIN watch_change c ON c.id = b.since_change_id JOIN asset a ON a.id = b.asset_id AND a.configured
    WHERE b.wallet_id = ANY(${[...walletIds]}::uuid[])`;
  const until = new Map<string, Map<number, bigint>>(walletIds.map((id) => [id, new Map()]));
  for (const row of balances) until.get(row.walletId)?.set(row.assetId, row.until);
  return until;
}

/**
 * True if the histories still end where they did, for the same assets. An asset that was added
 * meanwhile was not looked for in the blocks. The caller holds the chain's lock.
 */
async function endAsPlanned(tx: Tx, wallets: readonly HistoryWallet[]): Promise<boolean> {
  const now = await readUntil(
    tx,
    wallets.map(({ id }) => id),
  );
  return wallets.every(({ id, until }) => {
    const ends = now.get(id);
    return ends?.size === until.size && [...until].every(([asset, end]) => ends.get(asset) === end);
  });
}

async function readAssets(tx: Tx, chainName: string) {
  const rows = await tx.asset.findMany({ where: { chainName, configured: true } });
  return rows.map((row) => ({
    id: row.id,
    address: row.address as AssetAddress,
    kind: row.kind as AssetKind,
    since: -1n,
  }));
}

/**
 * Writes a part of a history and its progress, in one transaction. Its transactions are completed,
 * move no balance, and are not notified. A known transaction that is back on the chain is notified
 * like any other (see bringBack).
 *
 * Writes nothing, and answers so, if a block has left the chain. The same holds if the histories
 * are no longer as planned. Safe to repeat.
 */
export async function recordHistory(
  db: Database,
  { chainName, plan, blocks }: HistoryStretch,
): Promise<StretchOutcome> {
  return inTransaction(db, async (tx) => {
    const chain = await lockChain(tx, chainName);
    const { confirmedNumber, settleNumber } = chain;
    if (settleNumber !== null || confirmedNumber === null || confirmedNumber < plan.to)
      return { kind: "moved" } as const;
    const numbers = blocks.map(({ header }) => header.number);
    const stored = await tx.block.findMany({ where: { chainName, number: { in: numbers } } });
    const hashes = new Map(stored.map(({ number, hash }) => [number, hash]));
    // No hash is stored below the window. There the caller has shown that the blocks are of the
    // chain.
    if (blocks.some(({ header }) => (hashes.get(header.number) ?? header.hash) !== header.hash))
      return { kind: "moved" } as const;
    const ids = plan.wallets.map(({ id }) => id);
    const moved = await tx.history.updateMany({
      where: { walletId: { in: ids }, nextNumber: plan.from, verdict: null },
      data: { nextNumber: plan.to + 1n },
    });
    if (moved.count !== ids.length || !(await endAsPlanned(tx, plan.wallets)))
      throw new HistoryMoved();
    const rows = toTransactionRows(chain, await asShownBefore(tx, chainName, blocks));
    const known = await readKnown(tx.$queryRaw, rows);
    const fresh = rows.filter(({ identity }) => !known.has(identity));
    const kept = fresh.length === 0 ? [] : await readKeptOfEnded(tx, ids);
    const keys = new Set(kept.map(keyOf));
    await insertHistory(
      tx,
      fresh.filter((row) => !keys.has(keyOf(row))),
    );
    await notify(tx, { confirmed: await bringBack(tx, rows, known) });
    return { kind: "recorded", transactions: rows.length } as const;
  }).catch((error: unknown) => {
    if (error instanceof HistoryMoved) return { kind: "moved" } as const;
    throw error;
  });
}

/** A transaction that the ledger keeps for an ended wallet with the address of this wallet. */
type Kept = Pick<MovedRow, "walletId" | "assetId" | "txHash" | "amountAtomic">;

/** A reward or a withdrawal has no hash, so its amount names it. */
const keyOf = ({ walletId, assetId, txHash, amountAtomic }: Kept) =>
  `${walletId}/${assetId}/${txHash === noTransaction ? amountAtomic : txHash}`;

/**
 * Reads the transactions that ended wallets with the same addresses keep, although a reorg took
 * their blocks away. The new branch was not searched for them. They are still the ended wallet's,
 * so a history leaves them out.
 */
async function readKeptOfEnded(
  statements: Statements,
  walletIds: readonly string[],
): Promise<Kept[]> {
  const rows = await statements.$queryRaw<(Omit<Kept, "amountAtomic"> & { amount: string })[]>`
    SELECT w.id AS "walletId", t.asset_id AS "assetId", t.tx_hash AS "txHash", t.amount::text
    FROM wallet w JOIN wallet old ON old.chain_name = w.chain_name AND old.address = w.address AND old.removed_at IS NOT NULL
      JOIN watch_change ended ON ended.id = old.removed_change_id
      JOIN transaction t ON t.wallet_id = old.id AND t.block_number > ended.position_number
    WHERE w.id = ANY(${[...walletIds]}::uuid[]) AND t.status = 'completed' AND t.type NOT IN (${correctionTypes})`;
  return rows.map(({ amount, ...row }) => ({ ...row, amountAtomic: BigInt(amount) }));
}

/** Undoes the transaction, because another process has done this work. */
class HistoryMoved extends Error {}

/**
 * Reads the sums of a wallet's history by asset id, each with its opening balance. A deposit is
 * left out if it was pending while its asset left the configuration and came back. It weighs beside
 * the opening. An asset is left out if it was watched before the history begins. Money that moved
 * between the two is in the balance, and not in the history. Null: an opening is not read yet.
 * `unknown`: the history leaves out what is kept for an ended wallet.
 */
export async function readHistorySums(
  db: Database,
  walletId: string,
): Promise<HistorySum[] | "unknown" | null> {
  const rows = await statementsOf(db).$queryRaw<
    { assetId: number; assetAddress: string; opening: string | null; sum: string }[]
  >`
    SELECT b.asset_id AS "assetId", a.address AS "assetAddress",
      CASE WHEN ${isKnown} THEN b.opening END::text AS opening,
      COALESCE((SELECT sum(CASE t.direction WHEN 'in' THEN t.amount ELSE -t.amount END - COALESCE((
          SELECT sum(e.amount) FROM ledger_entry e WHERE e.transaction_id = t.id), 0)) FROM transaction t
        WHERE t.wallet_id = b.wallet_id AND t.asset_id = b.asset_id AND t.status = 'completed'
          AND t.block_number BETWEEN h.from_number AND c.position_number), 0)::text AS sum
    FROM balance b JOIN asset a ON a.id = b.asset_id AND a.configured
      JOIN wallet w ON w.id = b.wallet_id
      JOIN watch_change c ON c.id = b.since_change_id JOIN history h ON h.wallet_id = b.wallet_id
    WHERE b.wallet_id = ${walletId}::uuid AND COALESCE(c.position_number, -1) >= h.from_number - 1
    ORDER BY b.asset_id`;
  if (rows.some(({ opening }) => opening === null)) return null;
  if ((await readKeptOfEnded(statementsOf(db), [walletId])).length > 0) return "unknown";
  return rows.map(({ assetId, assetAddress, opening, sum }) => ({
    assetId,
    assetAddress: assetAddress as AssetAddress,
    opening: BigInt(opening ?? 0),
    sum: BigInt(sum),
  }));
}

/**
 * Stores whether the history explains the opening balance. Answers `moved`, and stores nothing, if
 * the history has changed since it was read. More of it was asked for, an asset was added, or a
 * rewind reached into it. With a verdict the rest of it would never be read.
 */
export async function finishHistory(
  db: Database,
  { walletId, fromNumber, nextNumber }: ReadHistory,
  verdict: HistoryVerdict,
): Promise<"kept" | "moved"> {
  const where = { walletId, fromNumber, nextNumber, verdict: null };
  const { count } = await reaching(() =>
    modelsOf(db).history.updateMany({ where, data: { verdict } }),
  );
  return count === 0 ? "moved" : "kept";
}

/**
 * The histories above a block that is still on the chain. `watched`: those of an ended wallet or of
 * a removed asset are not read again. So they stay, as completed transactions do. `all`: those too,
 * for the reset of a chain.
 */
export type UndoneHistory = { above: bigint; of: "watched" | "all" };

/**
 * Lets histories be read again. Their transactions are taken back as others are, and stay if their
 * block is there again. So a measured amount stays too. The caller holds the chain's lock.
 */
export async function undoHistory(tx: Tx, chainName: string, undo: UndoneHistory): Promise<void> {
  const { above, of } = undo;
  await tx.$executeRaw`
    UPDATE history h SET next_number = GREATEST(h.from_number, ${above} + 1), verdict = NULL
    FROM wallet w WHERE w.id = h.wallet_id AND h.chain_name = ${chainName} AND h.next_number > ${above} + 1
      AND (w.removed_at IS NULL OR ${of === "all"}::boolean)`;
}

/**
 * Deletes the transactions of histories. After a reorg they may be in blocks that are watched by
 * then, and are notified like any other. The caller holds the chain's lock.
 */
export async function deleteHistory(
  tx: Tx,
  chainName: string,
  { above, of }: UndoneHistory,
): Promise<void> {
  await tx.$executeRaw`
    DELETE FROM transaction t USING wallet w, asset a
    WHERE t.chain_name = ${chainName} AND t.is_history AND t.block_number > ${above}
      AND w.id = t.wallet_id AND a.id = t.asset_id AND (w.removed_at IS NULL AND a.configured OR ${of === "all"}::boolean)`;
}
