-- The next blocks of a chain's histories are found without those of other chains. A wallet stays on its chain.
ALTER TABLE "history" ADD COLUMN "chain_name" TEXT;
UPDATE "history" h SET "chain_name" = w."chain_name" FROM "wallet" w WHERE w."id" = h."wallet_id";
ALTER TABLE "history" ALTER COLUMN "chain_name" SET NOT NULL;
ALTER TABLE "history" ADD CONSTRAINT "history_chain_name_fkey"
  FOREIGN KEY ("chain_name") REFERENCES "chain"("name") ON DELETE RESTRICT ON UPDATE CASCADE;
-- Nobody fills in the history of a wallet that has ended: what is not known of it stays so.
UPDATE "history" h SET "verdict" = 'unknown'
  FROM "wallet" w WHERE w."id" = h."wallet_id" AND w."removed_at" IS NOT NULL AND h."verdict" IS NULL;
DROP INDEX "history_next_number_idx";
CREATE INDEX "history_open_idx" ON "history"("chain_name", "next_number", "wallet_id") WHERE (verdict IS NULL);
