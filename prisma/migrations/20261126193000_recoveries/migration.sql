-- What a webhook did not accept is queued again in batches, by the time of writing of the notifications (decision 143).
CREATE TABLE "recovery" (
    "id" UUID NOT NULL,
    "webhook_id" UUID NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "until" TIMESTAMPTZ(3),
    "include" TEXT[],
    "filter" TEXT,
    "through" TIMESTAMPTZ(3),
    "position" TIMESTAMPTZ(3) NOT NULL,
    "queued" INTEGER NOT NULL DEFAULT 0,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "recovery_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "recovery_webhook_id_id_idx" ON "recovery"("webhook_id", "id");
-- One at a time for each webhook.
CREATE UNIQUE INDEX "recovery_running_key" ON "recovery"("webhook_id") WHERE (ended_at IS NULL);
ALTER TABLE "recovery" ADD CONSTRAINT "recovery_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhook"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "recovery" ADD CONSTRAINT "recovery_include" CHECK (include <@ ARRAY['held', 'exhausted', 'cancelled', 'waiting'] AND cardinality(include) > 0);
