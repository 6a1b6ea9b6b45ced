-- How far a chain's ledger is known to agree with the chain itself, and where it does not (I10).
ALTER TABLE "transaction" ADD COLUMN "since_number" BIGINT;

CREATE TABLE "reconciliation" (
  "chain_name" TEXT NOT NULL,
  "at_number" BIGINT NOT NULL,
  "agreed_number" BIGINT,
  "compared" INTEGER NOT NULL,
  "finished_at" TIMESTAMPTZ(3) NOT NULL,

  CONSTRAINT "reconciliation_pkey" PRIMARY KEY ("chain_name")
);

CREATE TABLE "discrepancy" (
  "wallet_id" UUID NOT NULL,
  "asset_id" INTEGER NOT NULL,
  "chain_name" TEXT NOT NULL,
  "at_number" BIGINT NOT NULL,
  "ledger_amount" DECIMAL NOT NULL,
  "chain_amount" DECIMAL NOT NULL,
  "found_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "seen_at" TIMESTAMPTZ(3) NOT NULL,

  CONSTRAINT "discrepancy_pkey" PRIMARY KEY ("wallet_id", "asset_id")
);

CREATE INDEX "discrepancy_chain_name_idx" ON "discrepancy"("chain_name");

ALTER TABLE "reconciliation" ADD CONSTRAINT "reconciliation_chain_name_fkey"
  FOREIGN KEY ("chain_name") REFERENCES "chain"("name") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "discrepancy" ADD CONSTRAINT "discrepancy_wallet_id_asset_id_fkey"
  FOREIGN KEY ("wallet_id", "asset_id") REFERENCES "balance"("wallet_id", "asset_id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "discrepancy" ADD CONSTRAINT "discrepancy_chain_name_fkey"
  FOREIGN KEY ("chain_name") REFERENCES "chain"("name") ON DELETE RESTRICT ON UPDATE CASCADE;
