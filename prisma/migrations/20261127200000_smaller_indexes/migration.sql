-- Identities as the 32 bytes that they are, not as 64 digits (decision 155).
ALTER TABLE "transaction" ALTER COLUMN "identity" TYPE bytea USING decode("identity", 'hex');
ALTER TABLE "sighting" ALTER COLUMN "identity" TYPE bytea USING decode("identity", 'hex');

-- A hash names few rows: its index needs neither their business nor an order.
DROP INDEX "transaction_tx_hash_business_id_id_idx";
CREATE INDEX "transaction_tx_hash_idx" ON "transaction"("tx_hash");
DROP INDEX "sighting_tx_hash_business_id_id_idx";
CREATE INDEX "sighting_tx_hash_idx" ON "sighting"("tx_hash");

-- A wallet is of one business.
DROP INDEX "transaction_wallet_id_business_id_type_id_idx";
CREATE INDEX "transaction_wallet_id_type_id_idx" ON "transaction"("wallet_id", "type", "id" DESC NULLS LAST);

-- A release before 0.2.0 listed by it.
DROP INDEX "notification_business_id_id_idx";
