-- The first schema. Everything up to the last foreign key is what schema.prisma says. The CHECK constraints below it
-- are the words a column may hold, which Prisma cannot describe.

-- CreateTable
CREATE TABLE "business" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "verified_at" TIMESTAMPTZ(3),
    "suspended_at" TIMESTAMPTZ(3),
    "notify_pending" BOOLEAN NOT NULL DEFAULT false,
    "in_flight" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "business_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" UUID NOT NULL,
    "business_id" UUID NOT NULL,
    "label" TEXT,
    "prefix" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "chain" (
    "name" TEXT NOT NULL,
    "evm_chain_id" BIGINT NOT NULL,
    "genesis_hash" TEXT,
    "position_number" BIGINT,
    "position_hash" TEXT,
    "position_time" TIMESTAMPTZ(3),
    "confirmed_number" BIGINT,
    "head_number" BIGINT,
    "settle_number" BIGINT,
    "watch_version" BIGINT NOT NULL DEFAULT 0,
    "stopped_code" TEXT,
    "stopped_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "chain_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "block" (
    "chain_name" TEXT NOT NULL,
    "number" BIGINT NOT NULL,
    "hash" TEXT NOT NULL,
    "parent_hash" TEXT NOT NULL,
    "time" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "block_pkey" PRIMARY KEY ("chain_name","number")
);

-- CreateTable
CREATE TABLE "watch_change" (
    "id" UUID NOT NULL,
    "chain_name" TEXT NOT NULL,
    "version" BIGINT NOT NULL,
    "position_number" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "watch_change_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "asset" (
    "id" SERIAL NOT NULL,
    "chain_name" TEXT NOT NULL,
    "code" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "decimals" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "configured" BOOLEAN NOT NULL DEFAULT true,
    "watch_change_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "asset_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "wallet" (
    "id" UUID NOT NULL,
    "business_id" UUID NOT NULL,
    "chain_name" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "purpose" TEXT NOT NULL,
    "label" TEXT,
    "reference" TEXT,
    "added_change_id" UUID NOT NULL,
    "removed_change_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "removed_at" TIMESTAMPTZ(3),

    CONSTRAINT "wallet_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "balance" (
    "wallet_id" UUID NOT NULL,
    "asset_id" INTEGER NOT NULL,
    "confirmed" DECIMAL NOT NULL DEFAULT 0,
    "pending" DECIMAL NOT NULL DEFAULT 0,
    "opening" DECIMAL,
    "since_change_id" UUID NOT NULL,

    CONSTRAINT "balance_pkey" PRIMARY KEY ("wallet_id","asset_id")
);

-- CreateTable
CREATE TABLE "transaction" (
    "id" UUID NOT NULL,
    "identity" TEXT NOT NULL,
    "chain_name" TEXT NOT NULL,
    "business_id" UUID NOT NULL,
    "wallet_id" UUID NOT NULL,
    "asset_id" INTEGER NOT NULL,
    "type" TEXT NOT NULL,
    "direction" TEXT NOT NULL,
    "amount" DECIMAL(78,0) NOT NULL,
    "status" TEXT NOT NULL,
    "orphaned" BOOLEAN NOT NULL DEFAULT false,
    "round" INTEGER NOT NULL DEFAULT 0,
    "tx_hash" TEXT NOT NULL,
    "from_address" TEXT NOT NULL,
    "to_address" TEXT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "block_hash" TEXT NOT NULL,
    "block_time" TIMESTAMPTZ(3) NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "log_index" INTEGER,
    "trace_path" TEXT,
    "completed_at" TIMESTAMPTZ(3),
    "usd_value" DECIMAL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "transaction_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ledger_entry" (
    "id" BIGSERIAL NOT NULL,
    "wallet_id" UUID NOT NULL,
    "asset_id" INTEGER NOT NULL,
    "transaction_id" UUID,
    "kind" TEXT NOT NULL,
    "amount" DECIMAL NOT NULL,
    "block_number" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ledger_entry_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "notification" (
    "id" UUID NOT NULL,
    "business_id" UUID NOT NULL,
    "transaction_id" UUID,
    "round" INTEGER NOT NULL DEFAULT 0,
    "state" TEXT NOT NULL,
    "event" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "notification_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook" (
    "id" UUID NOT NULL,
    "business_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "secret_ciphertext" TEXT NOT NULL,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),
    "last_success_at" TIMESTAMPTZ(3),
    "consecutive_failures" INTEGER NOT NULL DEFAULT 0,
    "failing_since" TIMESTAMPTZ(3),
    "disabled_at" TIMESTAMPTZ(3),
    "disabled_reason" TEXT,
    "last_claimed_at" TIMESTAMPTZ(6),

    CONSTRAINT "webhook_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "delivery" (
    "id" UUID NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "notification_id" UUID NOT NULL,
    "business_id" UUID NOT NULL,
    "webhook_id" UUID,
    "status" TEXT NOT NULL DEFAULT 'waiting',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "max_attempts" INTEGER,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "claim_token" UUID,
    "claim_expires_at" TIMESTAMPTZ(3),
    "begun_at" TIMESTAMPTZ(3),
    "unrecorded" INTEGER NOT NULL DEFAULT 0,
    "delivered_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "delivery_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "attempt" (
    "id" BIGSERIAL NOT NULL,
    "delivery_id" UUID NOT NULL,
    "webhook_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "latency_ms" INTEGER NOT NULL,
    "status_code" INTEGER,
    "error_kind" TEXT,
    "response" TEXT,
    "next_due_at" TIMESTAMPTZ(3),

    CONSTRAINT "attempt_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "dispatcher" (
    "id" UUID NOT NULL,
    "slots" INTEGER NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "dispatcher_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "lease" (
    "name" TEXT NOT NULL,
    "holder" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "lease_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "installation" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),

    CONSTRAINT "installation_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "api_key_digest_key" ON "api_key"("digest");

-- CreateIndex
CREATE INDEX "api_key_business_id_idx" ON "api_key"("business_id");

-- CreateIndex
CREATE UNIQUE INDEX "watch_change_chain_name_version_key" ON "watch_change"("chain_name", "version");

-- CreateIndex
CREATE UNIQUE INDEX "asset_chain_name_code_key" ON "asset"("chain_name", "code");

-- CreateIndex
CREATE UNIQUE INDEX "asset_chain_name_address_key" ON "asset"("chain_name", "address");

-- CreateIndex
CREATE INDEX "wallet_business_id_id_idx" ON "wallet"("business_id", "id");

-- CreateIndex
CREATE INDEX "wallet_added_change_id_idx" ON "wallet"("added_change_id");

-- CreateIndex
CREATE INDEX "wallet_removed_change_id_idx" ON "wallet"("removed_change_id");

-- CreateIndex
CREATE UNIQUE INDEX "wallet_watched_address_key" ON "wallet"("chain_name", "address") WHERE (removed_at IS NULL);

-- CreateIndex
CREATE INDEX "balance_syncing_idx" ON "balance"("since_change_id") WHERE (opening IS NULL);

-- CreateIndex
CREATE UNIQUE INDEX "transaction_identity_key" ON "transaction"("identity");

-- CreateIndex
CREATE INDEX "transaction_business_id_id_idx" ON "transaction"("business_id", "id");

-- CreateIndex
CREATE INDEX "transaction_wallet_id_id_idx" ON "transaction"("wallet_id", "id");

-- CreateIndex
CREATE INDEX "transaction_tx_hash_idx" ON "transaction"("tx_hash");

-- CreateIndex
CREATE INDEX "transaction_chain_name_block_number_idx" ON "transaction"("chain_name", "block_number");

-- CreateIndex
CREATE INDEX "transaction_pending_idx" ON "transaction"("chain_name", "block_number") WHERE (status = 'pending');

-- CreateIndex
CREATE INDEX "transaction_orphaned_idx" ON "transaction"("chain_name") WHERE (orphaned);

-- CreateIndex
CREATE INDEX "ledger_entry_wallet_id_asset_id_id_idx" ON "ledger_entry"("wallet_id", "asset_id", "id");

-- CreateIndex
CREATE INDEX "ledger_entry_transaction_id_idx" ON "ledger_entry"("transaction_id");

-- CreateIndex
CREATE INDEX "notification_business_id_id_idx" ON "notification"("business_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "notification_transaction_id_round_state_key" ON "notification"("transaction_id", "round", "state");

-- CreateIndex
CREATE INDEX "webhook_ringing_idx" ON "webhook"("last_claimed_at") WHERE (is_active AND deleted_at IS NULL);

-- CreateIndex
CREATE UNIQUE INDEX "webhook_current_key" ON "webhook"("business_id") WHERE (deleted_at IS NULL);

-- CreateIndex
CREATE INDEX "delivery_notification_id_idx" ON "delivery"("notification_id");

-- CreateIndex
CREATE INDEX "delivery_fresh_idx" ON "delivery"("webhook_id", "seq") WHERE (status = 'waiting' AND attempts = 0);

-- CreateIndex
CREATE INDEX "delivery_retry_idx" ON "delivery"("webhook_id", "due_at") WHERE (status = 'waiting' AND attempts > 0);

-- CreateIndex
CREATE INDEX "delivery_claimed_idx" ON "delivery"("claim_token") WHERE (claim_token IS NOT NULL);

-- CreateIndex
CREATE INDEX "delivery_business_id_seq_idx" ON "delivery"("business_id", "seq");

-- CreateIndex
CREATE INDEX "attempt_webhook_id_idx" ON "attempt"("webhook_id");

-- CreateIndex
CREATE UNIQUE INDEX "attempt_delivery_id_number_key" ON "attempt"("delivery_id", "number");

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_business_id_fkey" FOREIGN KEY ("business_id") REFERENCES "business"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "block" ADD CONSTRAINT "block_chain_name_fkey" FOREIGN KEY ("chain_name") REFERENCES "chain"("name") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "watch_change" ADD CONSTRAINT "watch_change_chain_name_fkey" FOREIGN KEY ("chain_name") REFERENCES "chain"("name") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "asset" ADD CONSTRAINT "asset_chain_name_fkey" FOREIGN KEY ("chain_name") REFERENCES "chain"("name") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "asset" ADD CONSTRAINT "asset_watch_change_id_fkey" FOREIGN KEY ("watch_change_id") REFERENCES "watch_change"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "wallet" ADD CONSTRAINT "wallet_business_id_fkey" FOREIGN KEY ("business_id") REFERENCES "business"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "wallet" ADD CONSTRAINT "wallet_chain_name_fkey" FOREIGN KEY ("chain_name") REFERENCES "chain"("name") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "wallet" ADD CONSTRAINT "wallet_added_change_id_fkey" FOREIGN KEY ("added_change_id") REFERENCES "watch_change"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "wallet" ADD CONSTRAINT "wallet_removed_change_id_fkey" FOREIGN KEY ("removed_change_id") REFERENCES "watch_change"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "balance" ADD CONSTRAINT "balance_wallet_id_fkey" FOREIGN KEY ("wallet_id") REFERENCES "wallet"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "balance" ADD CONSTRAINT "balance_asset_id_fkey" FOREIGN KEY ("asset_id") REFERENCES "asset"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "balance" ADD CONSTRAINT "balance_since_change_id_fkey" FOREIGN KEY ("since_change_id") REFERENCES "watch_change"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "transaction" ADD CONSTRAINT "transaction_chain_name_fkey" FOREIGN KEY ("chain_name") REFERENCES "chain"("name") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "transaction" ADD CONSTRAINT "transaction_business_id_fkey" FOREIGN KEY ("business_id") REFERENCES "business"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "transaction" ADD CONSTRAINT "transaction_wallet_id_fkey" FOREIGN KEY ("wallet_id") REFERENCES "wallet"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "transaction" ADD CONSTRAINT "transaction_asset_id_fkey" FOREIGN KEY ("asset_id") REFERENCES "asset"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ledger_entry" ADD CONSTRAINT "ledger_entry_wallet_id_fkey" FOREIGN KEY ("wallet_id") REFERENCES "wallet"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ledger_entry" ADD CONSTRAINT "ledger_entry_asset_id_fkey" FOREIGN KEY ("asset_id") REFERENCES "asset"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ledger_entry" ADD CONSTRAINT "ledger_entry_transaction_id_fkey" FOREIGN KEY ("transaction_id") REFERENCES "transaction"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification" ADD CONSTRAINT "notification_transaction_id_fkey" FOREIGN KEY ("transaction_id") REFERENCES "transaction"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook" ADD CONSTRAINT "webhook_business_id_fkey" FOREIGN KEY ("business_id") REFERENCES "business"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "delivery" ADD CONSTRAINT "delivery_notification_id_fkey" FOREIGN KEY ("notification_id") REFERENCES "notification"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "delivery" ADD CONSTRAINT "delivery_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhook"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "attempt" ADD CONSTRAINT "attempt_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "delivery"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "attempt" ADD CONSTRAINT "attempt_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhook"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- CHECK constraints
ALTER TABLE "chain"
  ADD CONSTRAINT "chain_position_whole" CHECK ((position_number IS NULL) = (position_hash IS NULL)),
  ADD CONSTRAINT "chain_confirmed_within_position" CHECK (confirmed_number IS NULL OR confirmed_number <= position_number);

ALTER TABLE "asset"
  ADD CONSTRAINT "asset_kind" CHECK (kind IN ('exact', 'fee_on_transfer', 'rebasing', 'weth9', 'native_alias')),
  ADD CONSTRAINT "asset_decimals" CHECK (decimals BETWEEN 0 AND 77),
  ADD CONSTRAINT "asset_address_lower_case" CHECK (address = lower(address));

ALTER TABLE "wallet"
  ADD CONSTRAINT "wallet_purpose" CHECK (purpose IN ('deposit', 'payment')),
  ADD CONSTRAINT "wallet_address_lower_case" CHECK (address = lower(address)),
  ADD CONSTRAINT "wallet_removed_whole" CHECK ((removed_at IS NULL) = (removed_change_id IS NULL));

ALTER TABLE "transaction"
  ADD CONSTRAINT "transaction_type" CHECK (type IN ('deposit', 'withdrawal', 'payment', 'fee', 'income', 'adjustment', 'unattributed')),
  ADD CONSTRAINT "transaction_direction" CHECK (direction IN ('in', 'out')),
  ADD CONSTRAINT "transaction_status" CHECK (status IN ('pending', 'completed', 'dropped', 'reversed')),
  ADD CONSTRAINT "transaction_amount_magnitude" CHECK (amount >= 0);

ALTER TABLE "ledger_entry"
  ADD CONSTRAINT "ledger_entry_kind" CHECK (kind IN ('opening', 'opening_undone', 'confirmation', 'reversal')),
  ADD CONSTRAINT "ledger_entry_transaction" CHECK ((transaction_id IS NULL) = (kind IN ('opening', 'opening_undone')));

ALTER TABLE "notification"
  ADD CONSTRAINT "notification_state" CHECK (state IN ('pending', 'confirmed', 'dropped', 'reversed', 'test'));

ALTER TABLE "delivery"
  ADD CONSTRAINT "delivery_status" CHECK (status IN ('waiting', 'delivered', 'exhausted', 'cancelled')),
  ADD CONSTRAINT "delivery_claim_whole" CHECK ((claim_token IS NULL) = (claim_expires_at IS NULL)),
  ADD CONSTRAINT "delivery_claimed_is_waiting" CHECK (claim_token IS NULL OR status = 'waiting');

INSERT INTO "installation" DEFAULT VALUES;

-- A delivery row is written several times within seconds (claimed, begun, recorded): room for the new versions beside
-- the old, and a vacuum long before a fifth of the table is dead.
ALTER TABLE "delivery" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01);
