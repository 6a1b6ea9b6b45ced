-- A business has one first webhook, and others beside it (decision 100).
ALTER TABLE "webhook" ADD COLUMN "is_additional" BOOLEAN NOT NULL DEFAULT false;
DROP INDEX "webhook_current_key";
CREATE UNIQUE INDEX "webhook_current_key" ON "webhook"("business_id") WHERE (deleted_at IS NULL AND NOT is_additional);

-- What a notification's own status speaks of: the deliveries to the first webhook.
ALTER TABLE "delivery" ADD COLUMN "is_additional" BOOLEAN NOT NULL DEFAULT false;

-- Turns go by business, whatever it has registered.
ALTER TABLE "webhook_turn" ADD COLUMN "business_id" UUID;
UPDATE "webhook_turn" t SET "business_id" = w."business_id" FROM "webhook" w WHERE w."id" = t."webhook_id";
DELETE FROM "webhook_turn" WHERE "business_id" IS NULL;
ALTER TABLE "webhook_turn" ALTER COLUMN "business_id" SET NOT NULL;
CREATE INDEX "webhook_turn_business_id_number_idx" ON "webhook_turn"("business_id", "number");
