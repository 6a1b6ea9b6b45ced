import { requireFound } from "../../domain/not-found.ts";
import type { Database } from "../postgres/database.ts";
import { modelsOf } from "../postgres/models.ts";
import { reaching } from "../postgres/reaching.ts";

/** The chain of a watched wallet. @throws Fault `wallet_not_found` */
export async function findWalletChain(db: Database, walletId: string): Promise<string> {
  const where = { id: walletId, removedAt: null };
  const wallet = await reaching(() =>
    modelsOf(db).wallet.findFirst({ where, select: { chainName: true } }),
  );
  return requireFound(wallet, "wallet_not_found").chainName;
}
