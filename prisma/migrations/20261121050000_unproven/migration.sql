-- Movements of the coin that do not add up to the balance's change in their block are not confirmed.
ALTER TABLE "transaction" ADD COLUMN "unproven" BOOLEAN NOT NULL DEFAULT false;

CREATE INDEX "transaction_unproven_idx" ON "transaction"("chain_name", "block_number") WHERE unproven;
