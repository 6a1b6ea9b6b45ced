import type { BalanceProof } from "../../domain/chain/block-proof.ts";
import type { OpeningEntry } from "../../domain/evidence/balances-at.ts";
import { type EntryKind, entryKinds } from "../../domain/evidence/ledger-entry.ts";
import { keysOf } from "../../domain/keys-of.ts";
import { requireFound } from "../../domain/not-found.ts";
import type { Database } from "../postgres/database.ts";
import { inSnapshot } from "../postgres/transaction.ts";

const openingKinds = keysOf(entryKinds).filter((kind) => entryKinds[kind].account === "opening");

/**
 * Reads the journal's entries about the openings of a business's wallet, oldest first. Openings
 * that were taken back, by a reorg or by the return of the asset, are included.
 * @throws Fault `wallet_not_found`
 */
export async function readOpenings(
  db: Database,
  { businessId, walletId }: { businessId: string; walletId: string },
): Promise<OpeningEntry[]> {
  return inSnapshot(db, async (tx) => {
    const wallet = await tx.wallet.findFirst({ where: { id: walletId, businessId } });
    requireFound(wallet, "wallet_not_found");
    const entries = await tx.ledgerEntry.findMany({
      where: { walletId, kind: { in: openingKinds } },
      include: { balance: { include: { asset: true } } },
      orderBy: { id: "asc" },
    });
    const last = new Map(entries.map(({ assetId, id }) => [assetId, id]));
    return entries.map(({ id, assetId, kind, amount, blockNumber, createdAt, balance }) => ({
      kind: kind as EntryKind,
      assetCode: balance.asset.code,
      assetDecimals: balance.asset.decimals,
      amountAtomic: BigInt(amount.toFixed()),
      blockNumber,
      recordedAt: createdAt,
      proof: last.get(assetId) === id ? (balance.openingProof as BalanceProof | null) : null,
    }));
  });
}
