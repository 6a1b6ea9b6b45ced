import { requireFound } from "../../domain/not-found.ts";
import type { Tx } from "../postgres/transaction.ts";
import { beginWatchChange, endWatchChange } from "./watch-change.ts";

/**
 * Ends the watching of a wallet with the next block processed; its history stays. Answers since
 * when: removing it again changes nothing and answers the same.
 * @throws Fault `wallet_not_found`
 */
export async function removeWallet(tx: Tx, walletId: string): Promise<{ removedAt: Date }> {
  const wallet = await lockWallet(tx, walletId);
  if (wallet.removedAt !== null) return { removedAt: wallet.removedAt };
  const changeId = await beginWatchChange(tx, wallet.chainName);
  const removedAt = new Date();
  await tx.wallet.update({
    where: { id: walletId },
    data: { removedAt, removedChangeId: changeId },
  });
  await endWatchChange(tx, wallet.chainName, changeId);
  return { removedAt };
}

async function lockWallet(tx: Tx, walletId: string) {
  const rows = await tx.$queryRaw<{ chainName: string; removedAt: Date | null }[]>`
    SELECT chain_name AS "chainName", removed_at AS "removedAt"
    FROM wallet WHERE id = ${walletId}::uuid FOR NO KEY UPDATE`;
  return requireFound(rows[0], "wallet_not_found");
}
