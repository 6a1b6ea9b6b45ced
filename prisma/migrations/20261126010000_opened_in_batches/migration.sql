-- A new asset's balances are made in batches, wallet after wallet by address, while it is watched already.
-- Up to this address every wallet has one; null: every wallet of the chain has one.
ALTER TABLE "asset" ADD COLUMN "opening_after" TEXT;
-- The wallets that were there when the asset began to be watched, and those of them that have their balance.
ALTER TABLE "asset" ADD COLUMN "opening_wallets" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "asset" ADD COLUMN "opened_wallets" INTEGER NOT NULL DEFAULT 0;

CREATE INDEX "asset_opening_idx" ON "asset"("chain_name") WHERE (opening_after IS NOT NULL);
