-- What a webhook wants of its business's notifications, as JSON; null: everything (decision 105).
ALTER TABLE "webhook" ADD COLUMN "filter" TEXT;

-- The filter of the first webhook left it out, so it has no delivery there: counted by an index of its own.
ALTER TABLE "notification" ADD COLUMN "is_filtered" BOOLEAN NOT NULL DEFAULT false;
CREATE INDEX "notification_filtered_idx" ON "notification"("business_id", "created_at", "id") WHERE is_filtered;
