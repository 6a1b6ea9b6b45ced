import { changeJournal } from "./change-journal.ts";
import type { Database } from "./database.ts";

/**
 * Takes a wallet's first transaction of an asset out of the ledger, as if it had never been seen.
 */
export async function loseTransaction(
  db: Database,
  walletId: string,
  assetCode: string,
): Promise<void> {
  const where = { walletId, asset: { code: assetCode } };
  const lost = await db.transaction.findFirstOrThrow({ where });
  await db.delivery.deleteMany({ where: { notification: { transactionId: lost.id } } });
  await db.notification.deleteMany({ where: { transactionId: lost.id } });
  await changeJournal(db, (tx) => tx.ledgerEntry.deleteMany({ where: { transactionId: lost.id } }));
  await db.transaction.delete({ where: { id: lost.id } });
  await db.balance.updateMany({ where, data: { confirmed: { decrement: lost.amount } } });
}
