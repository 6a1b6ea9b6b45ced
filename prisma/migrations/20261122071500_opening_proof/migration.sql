-- What shows what a balance began with. Null: of before this was kept.
ALTER TABLE "balance" ADD COLUMN "opening_proof" TEXT;

-- Those that one endpoint alone has said: counted for the operator.
CREATE INDEX "balance_opening_answered_idx" ON "balance"("asset_id") WHERE opening_proof = 'answered';
