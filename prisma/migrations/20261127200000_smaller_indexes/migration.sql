-- A hash names few rows: its index needs neither their business nor an order. A wallet is of one business. What goes,
-- goes first: nothing makes it anew below.
DROP INDEX "transaction_tx_hash_business_id_id_idx";
DROP INDEX "sighting_tx_hash_business_id_id_idx";
DROP INDEX "transaction_wallet_id_business_id_type_id_idx";
-- Of the lists of 0.1.
DROP INDEX "notification_business_id_id_idx";

-- Identities as the 32 bytes that they are, not as 64 digits (decision 155).
ALTER TABLE "transaction" ALTER COLUMN "identity" TYPE bytea USING decode("identity", 'hex');
ALTER TABLE "sighting" ALTER COLUMN "identity" TYPE bytea USING decode("identity", 'hex');

CREATE INDEX "transaction_tx_hash_idx" ON "transaction"("tx_hash");
CREATE INDEX "sighting_tx_hash_idx" ON "sighting"("tx_hash");
CREATE INDEX "transaction_wallet_id_type_id_idx" ON "transaction"("wallet_id", "type", "id" DESC NULLS LAST);
