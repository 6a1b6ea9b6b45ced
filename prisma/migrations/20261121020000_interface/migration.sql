-- Lists that stay index scans at any size, prices, the audit trail, and the buckets of the rate limit.

-- DropIndex
DROP INDEX "transaction_business_id_id_idx";
DROP INDEX "transaction_wallet_id_id_idx";
DROP INDEX "transaction_tx_hash_idx";

-- CreateIndex
-- NULLS LAST is what the list orders by: so that only these indexes give its order, and not the primary key read
-- backwards, which passes over the rows of every other business.
CREATE INDEX "transaction_listed_idx" ON "transaction"("business_id", "id" DESC NULLS LAST) WHERE (type IN ('deposit', 'withdrawal', 'payment'));
CREATE INDEX "transaction_listed_asset_idx" ON "transaction"("business_id", "asset_id", "id" DESC NULLS LAST) WHERE (type IN ('deposit', 'withdrawal', 'payment'));
CREATE INDEX "transaction_listed_chain_idx" ON "transaction"("business_id", "chain_name", "id" DESC NULLS LAST) WHERE (type IN ('deposit', 'withdrawal', 'payment'));
CREATE INDEX "transaction_business_id_type_status_id_idx" ON "transaction"("business_id", "type", "status", "id" DESC NULLS LAST);
CREATE INDEX "transaction_wallet_id_business_id_type_id_idx" ON "transaction"("wallet_id", "business_id", "type", "id" DESC NULLS LAST);
CREATE INDEX "transaction_tx_hash_business_id_id_idx" ON "transaction"("tx_hash", "business_id", "id" DESC NULLS LAST);
CREATE INDEX "transaction_moved_idx" ON "transaction"("business_id", "id" DESC NULLS LAST) WHERE (substr(replace(id::text, '-', ''), 1, 12) <> lpad(to_hex((EXTRACT(epoch FROM block_time AT TIME ZONE 'UTC') * 1000)::bigint), 12, '0'));

-- CreateTable
CREATE TABLE "price" (
    "asset_id" INTEGER NOT NULL,
    "usd" DECIMAL NOT NULL,
    "source" TEXT NOT NULL,
    "as_of" TIMESTAMPTZ(3) NOT NULL,
    "fresh_until" TIMESTAMPTZ(3),

    CONSTRAINT "price_pkey" PRIMARY KEY ("asset_id")
);

-- CreateTable
CREATE TABLE "audit_entry" (
    "id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "actor" TEXT NOT NULL,
    "via" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "subject" TEXT,
    "details" JSONB NOT NULL,

    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE UNLOGGED TABLE "rate_bucket" (
    "api_key_id" UUID NOT NULL,
    "full_at_us" BIGINT NOT NULL,
    "granted" INTEGER NOT NULL,

    CONSTRAINT "rate_bucket_pkey" PRIMARY KEY ("api_key_id")
);

-- AddForeignKey
ALTER TABLE "price" ADD CONSTRAINT "price_asset_id_fkey" FOREIGN KEY ("asset_id") REFERENCES "asset"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- CHECK constraints
ALTER TABLE "price"
  ADD CONSTRAINT "price_source" CHECK (source IN ('fixed', 'pinned', 'chainlink', 'http')),
  ADD CONSTRAINT "price_positive" CHECK (usd >= 0);

ALTER TABLE "audit_entry"
  ADD CONSTRAINT "audit_entry_via" CHECK (via IN ('http', 'cli', 'system'));

-- A bucket is written at every request: room for the new version beside the old.
ALTER TABLE "rate_bucket" SET (fillfactor = 50);
