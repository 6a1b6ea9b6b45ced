import { type BulkOwner, insertBulkHistory } from "./bulk-history.ts";
import type { Database } from "./database.ts";
import { insertBusiness, markSynced, newWallet, testChain } from "./ledger-fixtures.ts";
import { addWallets } from "./steps.ts";

/** A second chain, on which USDC is another asset of the same code. */
export const bulkChains = [
  testChain,
  {
    name: "base",
    chainId: 8453,
    assets: [
      { code: "ETH", address: "native", decimals: 18, kind: "exact" },
      {
        code: "USDC",
        address: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
        decimals: 6,
        kind: "exact",
      },
    ],
  },
] as const;

const walletsPerChain = 10;

/**
 * A history of `count` transactions of every type and status on two chains, nine in ten of the
 * business that is answered and the rest of another. See insertBulkHistory.
 */
export async function fillLedger(
  { db, url }: { db: Database; url: string },
  count: number,
): Promise<BulkOwner> {
  const [owner, stranger] = [await addOwner(db, "Example Ltd"), await addOwner(db, "Stranger")];
  await insertBulkHistory({ databaseUrl: url, count, owner, stranger });
  return owner;
}

async function addOwner(db: Database, name: string): Promise<BulkOwner> {
  const businessId = await insertBusiness(db, name);
  const wallets = Array.from({ length: 2 * walletsPerChain }, (_, index) =>
    newWallet({ chainName: index % 2 === 0 ? "ethereum" : "base" }),
  );
  const walletIds = (await addWallets(db, { businessId, wallets })).map((wallet) => wallet.id);
  await markSynced(db, walletIds, {
    ETH: { confirmed: 10n ** 18n },
    USDC: { confirmed: 5_000_000n },
  });
  return { businessId, walletIds };
}
