-- When the receiver last answered anything: until it has, it is not known whether it answers at all, and it gets one place.
ALTER TABLE "webhook" ADD COLUMN "answered_at" TIMESTAMPTZ(3);
UPDATE "webhook" SET "answered_at" = "last_success_at" WHERE "deleted_at" IS NULL;

-- A replaced webhook goes with the retention: without an index each deletion would read all deliveries. Nothing joins
-- a delivery that is over to its webhook, and one that waits keeps its webhook's row.
ALTER TABLE "delivery" DROP CONSTRAINT "delivery_webhook_id_fkey";

-- A delivery that was cancelled while it was being sent keeps its claim until the attempt is recorded, and counts as in flight.
ALTER TABLE "delivery" DROP CONSTRAINT "delivery_claimed_is_waiting",
  ADD CONSTRAINT "delivery_claimed_is_waiting" CHECK (claim_token IS NULL OR status IN ('waiting', 'cancelled'));
