import { requireFound } from "../../domain/not-found.ts";
import { type Database, reaching } from "../postgres/database.ts";

/** The chain of a wallet that is watched. @throws Fault `wallet_not_found` */
export async function findWalletChain(db: Database, walletId: string): Promise<string> {
  const where = { id: walletId, removedAt: null };
  const wallet = await reaching(() => db.wallet.findFirst({ where, select: { chainName: true } }));
  return requireFound(wallet, "wallet_not_found").chainName;
}
