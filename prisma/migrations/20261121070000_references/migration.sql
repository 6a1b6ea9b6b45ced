-- A transaction's wallet, business and chain belong together, and an entry to the balance that it moves: checked as such, and
-- once. Each check is a statement of its own for every row that is written.
CREATE UNIQUE INDEX "wallet_id_business_id_chain_name_key" ON "wallet"("id", "business_id", "chain_name");

ALTER TABLE "transaction"
  DROP CONSTRAINT "transaction_business_id_fkey",
  DROP CONSTRAINT "transaction_chain_name_fkey",
  DROP CONSTRAINT "transaction_wallet_id_fkey",
  ADD CONSTRAINT "transaction_wallet_id_business_id_chain_name_fkey" FOREIGN KEY ("wallet_id", "business_id", "chain_name")
    REFERENCES "wallet"("id", "business_id", "chain_name") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "ledger_entry"
  DROP CONSTRAINT "ledger_entry_wallet_id_fkey",
  DROP CONSTRAINT "ledger_entry_asset_id_fkey",
  ADD CONSTRAINT "ledger_entry_wallet_id_asset_id_fkey" FOREIGN KEY ("wallet_id", "asset_id")
    REFERENCES "balance"("wallet_id", "asset_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Webhooks are never deleted, and nothing is looked up by these.
ALTER TABLE "attempt" DROP CONSTRAINT "attempt_webhook_id_fkey";
DROP INDEX "attempt_webhook_id_idx";
DROP INDEX "delivery_business_id_seq_idx";
