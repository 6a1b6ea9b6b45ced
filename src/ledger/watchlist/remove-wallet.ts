import type { BalanceKey } from "../../domain/money/balance.ts";
import { requireFound } from "../../domain/not-found.ts";
import type { Removal } from "../../domain/watch/wallet.ts";
import { lacksBalance } from "../balances/open-balances.ts";
import { lockChain } from "../chain/chain-state.ts";
import { Prisma } from "../generated/client.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import type { Database } from "../postgres/database.ts";
import { inTransaction, type Tx } from "../postgres/transaction.ts";
import { beginWatchChange, endWatchChange } from "./watch-change.ts";

/**
 * Removes a wallet. An empty wallet is not watched any more from the next block on. A wallet that
 * has money, or may have some, becomes `leaving`: it is watched, counted and notified until it is
 * empty (`endLeaving`). It may have money while an opening balance is unread or a difference with
 * the chain is open. So it may while a reorg is being replayed. The history stays in both cases.
 * Safe to repeat: the time of the first call stays.
 * @throws Fault `wallet_not_found`
 */
export async function removeWallet(tx: Tx, walletId: string): Promise<Removal> {
  const wallet = await lockWallet(tx, walletId);
  if (wallet.removedAt !== null) return removalOf(wallet);
  // From here on no block adds money to the wallet.
  const { settleNumber } = await lockChain(tx, wallet.chainName);
  const [empty] = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM wallet w WHERE w.id = ${walletId}::uuid AND ${isEmpty}`;
  if (empty !== undefined && settleNumber === null) return end(tx, wallet);
  const leavingAt = wallet.leavingAt ?? new Date();
  await tx.wallet.update({ where: { id: walletId }, data: { leavingAt } });
  return { leavingAt, removedAt: null };
}

/**
 * Ends the watching of a wallet with the next block, whatever it holds. The business's balances
 * lose its money, and its history stays. Safe to repeat: the time of the first call stays.
 * @throws Fault `wallet_not_found`
 */
export async function archiveWallet(tx: Tx, walletId: string): Promise<Removal> {
  const wallet = await lockWallet(tx, walletId);
  return wallet.removedAt === null ? end(tx, wallet) : removalOf(wallet);
}

/** One transaction ends at most this many wallets. It delays blocks by some milliseconds. */
const mostAtOnce = 1_000;

/**
 * Ends a chain's leaving wallets that are empty by the ledger and by the chain. `empty`: the
 * balances that a comparison has just found to be zero on both sides. A wallet with any other
 * balance stays. While a reorg is replayed all stay. Answers how many ended. Safe to repeat.
 */
export async function endLeaving(
  db: Database,
  chainName: string,
  empty: readonly BalanceKey[],
): Promise<number> {
  if (empty.length === 0) return 0;
  const isFoundEmpty = Prisma.sql`${isEmpty} AND NOT EXISTS (
    SELECT 1 FROM balance b JOIN asset a ON a.id = b.asset_id AND a.configured
    WHERE b.wallet_id = w.id AND (b.wallet_id, b.asset_id) NOT IN (
      SELECT * FROM unnest(${arrayLiteral(empty.map(({ walletId }) => walletId))}::uuid[],
        ${arrayLiteral(empty.map(({ assetId }) => assetId))}::int[])))`;
  const compared = [...new Set(empty.map(({ walletId }) => walletId))];
  return inTransaction(db, async (tx) => {
    const due = await tx.$queryRaw<{ id: string }[]>`
      SELECT w.id FROM wallet w
      WHERE w.chain_name = ${chainName} AND w.leaving_at IS NOT NULL AND w.removed_at IS NULL
        AND w.id = ANY(${arrayLiteral(compared)}::uuid[]) AND ${isFoundEmpty}
      LIMIT ${mostAtOnce} FOR NO KEY UPDATE OF w SKIP LOCKED`;
    if (due.length === 0) return 0;
    if ((await lockChain(tx, chainName)).settleNumber !== null) return 0;
    const changeId = await beginWatchChange(tx, chainName);
    // It is tested again here: before the lock a block may have paid a wallet, or an asset was
    // added.
    const ended = await tx.$executeRaw`
      UPDATE wallet w SET removed_at = ${new Date()}, removed_change_id = ${changeId}::uuid
      WHERE w.id = ANY(${due.map(({ id }) => id)}::uuid[]) AND ${isFoundEmpty}`;
    await endWatchChange(tx, chainName, changeId);
    return ended;
  });
}

/**
 * Condition on a wallet. Every balance is known and zero, pending amounts included. No difference
 * with the chain is open.
 */
const isEmpty = Prisma.sql`NOT EXISTS (
    SELECT 1 FROM balance b JOIN asset a ON a.id = b.asset_id AND a.configured
    WHERE b.wallet_id = w.id AND (b.opening IS NULL OR b.confirmed <> 0 OR b.pending <> 0)
  ) AND NOT EXISTS (SELECT 1 FROM discrepancy d WHERE d.wallet_id = w.id)
  AND NOT ${lacksBalance}`;

type Locked = Removal & { id: string; chainName: string };

async function lockWallet(tx: Tx, walletId: string): Promise<Locked> {
  const rows = await tx.$queryRaw<Locked[]>`
    SELECT id, chain_name AS "chainName", leaving_at AS "leavingAt", removed_at AS "removedAt"
    FROM wallet WHERE id = ${walletId}::uuid FOR NO KEY UPDATE`;
  return requireFound(rows[0], "wallet_not_found");
}

function removalOf({ leavingAt, removedAt }: Locked): Removal {
  return { leavingAt, removedAt };
}

async function end(tx: Tx, { id, chainName, leavingAt }: Locked): Promise<Removal> {
  const changeId = await beginWatchChange(tx, chainName);
  const removedAt = new Date();
  await tx.wallet.update({ where: { id }, data: { removedAt, removedChangeId: changeId } });
  await endWatchChange(tx, chainName, changeId);
  return { leavingAt, removedAt };
}
