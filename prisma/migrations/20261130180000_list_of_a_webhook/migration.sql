-- What was written for an additional webhook, in the order of the lists of notifications: by the creation time of the
-- notification (decision 175). The list of a webhook that wants little read all others before. Null, and so neither in
-- the row nor in the index, where a business has one webhook. A test to any webhook has it.
ALTER TABLE "delivery" ADD COLUMN "listed_at" TIMESTAMPTZ(3);

-- No release has had additional webhooks: this is of development.
UPDATE "delivery" d SET "listed_at" = n."created_at"
FROM "notification" n
WHERE n."id" = d."notification_id"
  AND (d."is_additional" OR EXISTS (SELECT FROM "webhook" w WHERE w."id" = d."webhook_id" AND w."is_additional"));
-- The lines that it touched are looked at now: a table with work left for the commit cannot be altered.
SET CONSTRAINTS ALL IMMEDIATE;

ALTER TABLE "delivery" ADD CONSTRAINT "delivery_listed" CHECK (NOT is_additional OR listed_at IS NOT NULL);
CREATE INDEX "delivery_listed_idx" ON "delivery"("webhook_id", "listed_at", "notification_id") WHERE (listed_at IS NOT NULL);
