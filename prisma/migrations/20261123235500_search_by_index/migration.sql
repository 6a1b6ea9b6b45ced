-- The beginning of a text finds wallets of one business by an index: what a search costs does not grow with their number.
CREATE INDEX "wallet_address_begins_idx" ON "wallet"("business_id", lower("address") text_pattern_ops) WHERE (removed_at IS NULL);
CREATE INDEX "wallet_reference_begins_idx" ON "wallet"("business_id", lower("reference") text_pattern_ops) WHERE (removed_at IS NULL AND reference IS NOT NULL);
CREATE INDEX "wallet_label_begins_idx" ON "wallet"("business_id", lower("label") text_pattern_ops) WHERE (removed_at IS NULL AND label IS NOT NULL);
