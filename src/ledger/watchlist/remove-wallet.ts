import { requireFound } from "../../domain/not-found.ts";
import type { Removal } from "../../domain/watch/wallet.ts";
import { lacksBalance } from "../balances/open-balances.ts";
import { lockChain } from "../chain/chain-state.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { inTransaction, type Tx } from "../postgres/transaction.ts";
import { beginWatchChange, endWatchChange } from "./watch-change.ts";

/**
 * Removes a wallet. An empty one is watched no longer from the next block processed on. A wallet
 * with money, or with an opening balance that is not known yet, is `leaving`: it is watched,
 * counted and notified until it is empty (`endLeaving`). Its history stays in either case. Safe to
 * repeat: the first time counts.
 * @throws Fault `wallet_not_found`
 */
export async function removeWallet(tx: Tx, walletId: string): Promise<Removal> {
  const wallet = await lockWallet(tx, walletId);
  if (wallet.removedAt !== null) return removalOf(wallet);
  // From here on no block adds anything to it.
  await lockChain(tx, wallet.chainName);
  const [empty] = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM wallet w WHERE w.id = ${walletId}::uuid AND ${isEmpty}`;
  if (empty !== undefined) return end(tx, wallet);
  const leavingAt = wallet.leavingAt ?? new Date();
  await tx.wallet.update({ where: { id: walletId }, data: { leavingAt } });
  return { leavingAt, removedAt: null };
}

/**
 * Ends the watching of a wallet with the next block processed, whatever it holds. Its money leaves
 * the balance of its business, and its history stays. Safe to repeat: the first time counts.
 * @throws Fault `wallet_not_found`
 */
export async function archiveWallet(tx: Tx, walletId: string): Promise<Removal> {
  const wallet = await lockWallet(tx, walletId);
  return wallet.removedAt === null ? end(tx, wallet) : removalOf(wallet);
}

/** Wallets that end in one transaction, which holds up blocks for some milliseconds. */
const mostAtOnce = 1_000;

/**
 * Ends the watching of a chain's leaving wallets that are empty, and of which no difference with
 * the chain is open. Answers their number. Safe to repeat.
 */
export async function endLeaving(db: Database, chainName: string): Promise<number> {
  return inTransaction(db, async (tx) => {
    const due = await tx.$queryRaw<{ id: string }[]>`
      SELECT w.id FROM wallet w
      WHERE w.chain_name = ${chainName} AND w.leaving_at IS NOT NULL AND w.removed_at IS NULL AND ${isEmpty}
        AND NOT EXISTS (SELECT 1 FROM discrepancy d WHERE d.wallet_id = w.id)
      LIMIT ${mostAtOnce} FOR NO KEY UPDATE OF w SKIP LOCKED`;
    if (due.length === 0) return 0;
    await lockChain(tx, chainName);
    const changeId = await beginWatchChange(tx, chainName);
    // A block may have paid one of them before the lock.
    const ended = await tx.$executeRaw`
      UPDATE wallet w SET removed_at = ${new Date()}, removed_change_id = ${changeId}::uuid
      WHERE w.id = ANY(${due.map(({ id }) => id)}::uuid[]) AND ${isEmpty}`;
    await endWatchChange(tx, chainName, changeId);
    return ended;
  });
}

/** Of `wallet w`: every balance is known and nothing, also nothing that is not confirmed yet. */
const isEmpty = Prisma.sql`NOT EXISTS (
    SELECT 1 FROM balance b JOIN asset a ON a.id = b.asset_id AND a.configured
    WHERE b.wallet_id = w.id AND (b.opening IS NULL OR b.confirmed <> 0 OR b.pending <> 0)
  ) AND NOT ${lacksBalance}`;

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
