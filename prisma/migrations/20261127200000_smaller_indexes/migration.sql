-- A hash names few rows: its index needs neither their business nor an order. A wallet is of one business. What goes,
-- goes first: nothing makes it anew below.
DROP INDEX "transaction_tx_hash_business_id_id_idx";
DROP INDEX "sighting_tx_hash_business_id_id_idx";
DROP INDEX "transaction_wallet_id_business_id_type_id_idx";
-- Lists are read from their end, and these indexes had it first. A page of one that grows at its front is split in the
-- middle, and stays half empty; at its end, it is filled (decision 158).
DROP INDEX "transaction_listed_idx";
DROP INDEX "transaction_listed_asset_idx";
DROP INDEX "transaction_listed_chain_idx";
DROP INDEX "transaction_business_id_type_status_id_idx";
-- Of the lists of 0.1.
DROP INDEX "notification_business_id_id_idx";

-- Identities as the 32 bytes that they are, not as 64 digits (decision 155).
ALTER TABLE "transaction" ALTER COLUMN "identity" TYPE bytea USING decode("identity", 'hex');
ALTER TABLE "sighting" ALTER COLUMN "identity" TYPE bytea USING decode("identity", 'hex');

-- The first digits of a hash find its few rows, as src/ledger/postgres/shortened-hash.ts asks for them.
CREATE INDEX "transaction_tx_hash_idx" ON "transaction"((left("tx_hash", 15)));
CREATE INDEX "sighting_tx_hash_idx" ON "sighting"((left("tx_hash", 15)));
-- Read backwards they give the order of the lists, DESC NULLS LAST, and no other index does.
CREATE INDEX "transaction_wallet_id_type_id_idx" ON "transaction"("wallet_id", "type", "id" NULLS FIRST);
CREATE INDEX "transaction_listed_idx" ON "transaction"("business_id", "id" NULLS FIRST) WHERE (type IN ('deposit', 'withdrawal', 'payment'));
CREATE INDEX "transaction_listed_asset_idx" ON "transaction"("business_id", "asset_id", "id" NULLS FIRST) WHERE (type IN ('deposit', 'withdrawal', 'payment'));
CREATE INDEX "transaction_listed_chain_idx" ON "transaction"("business_id", "chain_name", "id" NULLS FIRST) WHERE (type IN ('deposit', 'withdrawal', 'payment'));
CREATE INDEX "transaction_business_id_type_status_id_idx" ON "transaction"("business_id", "type", "status", "id" NULLS FIRST);
