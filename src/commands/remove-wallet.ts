import { isId } from "../domain/id.ts";
import { notFound } from "../domain/not-found.ts";

type Ledger = { removeWallet: (walletId: string) => Promise<{ removedAt: Date }> };

/** Watched no more from the next block processed; its history stays. Safe to repeat. @throws Fault `wallet_not_found` */
export async function removeWallet(
  ledger: Ledger,
  id: string,
): Promise<{ wallet_id: string; removed_at: string }> {
  if (!isId(id)) throw notFound("wallet_not_found");
  const { removedAt } = await ledger.removeWallet(id);
  return { wallet_id: id.toLowerCase(), removed_at: removedAt.toISOString() };
}
