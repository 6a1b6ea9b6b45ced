-- A wallet that is removed while it holds money is watched on until it is empty.
ALTER TABLE "wallet" ADD COLUMN "leaving_at" TIMESTAMPTZ(3);
CREATE INDEX "wallet_leaving_idx" ON "wallet"("chain_name") WHERE (leaving_at IS NOT NULL AND removed_at IS NULL);
-- An address that is added again is looked for among those that were watched before.
CREATE INDEX "wallet_removed_address_idx" ON "wallet"("chain_name", "address") WHERE (removed_at IS NOT NULL);
