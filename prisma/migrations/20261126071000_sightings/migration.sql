-- Transfers of tokens that are not configured, to watched wallets: in no balance (docs/contract.md#get-sightings).
CREATE TABLE "sighting" (
    "id" UUID NOT NULL,
    "identity" TEXT NOT NULL,
    "chain_name" TEXT NOT NULL,
    "business_id" UUID NOT NULL,
    "wallet_id" UUID NOT NULL,
    "contract" TEXT NOT NULL,
    "symbol" TEXT,
    "amount" DECIMAL(78,0) NOT NULL,
    "tx_hash" TEXT NOT NULL,
    "from_address" TEXT NOT NULL,
    "to_address" TEXT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "block_hash" TEXT NOT NULL,
    "block_time" TIMESTAMPTZ(3) NOT NULL,
    "log_index" INTEGER NOT NULL,
    "proof" TEXT NOT NULL,
    "is_undone" BOOLEAN NOT NULL DEFAULT false,
    "reported_at" TIMESTAMPTZ(3),

    CONSTRAINT "sighting_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "sighting_proof" CHECK (proof IN ('root', 'bloom', 'agreed', 'answered')),
    CONSTRAINT "sighting_wallet_id_business_id_chain_name_fkey" FOREIGN KEY ("wallet_id", "business_id", "chain_name")
      REFERENCES "wallet"("id", "business_id", "chain_name") ON DELETE RESTRICT ON UPDATE CASCADE
);

CREATE UNIQUE INDEX "sighting_identity_key" ON "sighting"("identity");
-- The list, in its order: of a business, a wallet, a token.
CREATE INDEX "sighting_business_id_id_idx" ON "sighting"("business_id", "id" DESC);
CREATE INDEX "sighting_wallet_id_id_idx" ON "sighting"("wallet_id", "id" DESC);
CREATE INDEX "sighting_contract_business_id_id_idx" ON "sighting"("contract", "business_id", "id" DESC);
CREATE INDEX "sighting_tx_hash_business_id_id_idx" ON "sighting"("tx_hash", "business_id", "id" DESC);
-- What a reorganisation takes away.
CREATE INDEX "sighting_chain_name_block_number_idx" ON "sighting"("chain_name", "block_number");
-- What waits for its block to be confirmed: few, and asked for all the time.
CREATE INDEX "sighting_unreported_idx" ON "sighting"("chain_name", "block_number") WHERE reported_at IS NULL AND NOT is_undone;
