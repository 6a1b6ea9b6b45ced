-- Nobody reads the openings of a wallet that has ended. So they are no work that waits.
ALTER TABLE "balance" ADD COLUMN "ended" BOOLEAN NOT NULL DEFAULT false;
UPDATE "balance" b SET "ended" = true FROM "wallet" w WHERE w."id" = b."wallet_id" AND w."removed_at" IS NOT NULL;
-- A look finds the first opening that is unread, of the assets of its chain. A step of the watcher reads some of them,
-- and the next step goes on behind these.
CREATE INDEX "balance_unread_idx" ON "balance"("asset_id", "wallet_id") WHERE (opening IS NULL AND NOT ended);
