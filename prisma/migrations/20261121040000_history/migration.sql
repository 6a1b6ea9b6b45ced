-- What happened before a wallet was watched (I9): shown, but never a part of its balance, and never told.
ALTER TABLE "transaction" ADD COLUMN "is_history" BOOLEAN NOT NULL DEFAULT false;

CREATE TABLE "history" (
  "wallet_id" UUID NOT NULL,
  "from_number" BIGINT NOT NULL,
  "next_number" BIGINT NOT NULL,
  "verdict" TEXT,

  CONSTRAINT "history_pkey" PRIMARY KEY ("wallet_id")
);

CREATE INDEX "history_next_number_idx" ON "history"("next_number") WHERE verdict IS NULL;
CREATE INDEX "transaction_history_idx" ON "transaction"("chain_name", "block_number") WHERE is_history;

ALTER TABLE "history" ADD CONSTRAINT "history_wallet_id_fkey"
  FOREIGN KEY ("wallet_id") REFERENCES "wallet"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
