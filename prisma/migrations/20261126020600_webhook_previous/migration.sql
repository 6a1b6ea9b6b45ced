-- The notification of this chain that was written for the webhook before it (decision 106).
ALTER TABLE "delivery" ADD COLUMN "previous_id" UUID;

-- The newest of each, beside which the next one is written. The owner is an additional webhook, or the business of a first one.
CREATE TABLE "webhook_stream" (
    "owner_id" UUID NOT NULL,
    "chain_name" TEXT NOT NULL,
    "notification_id" UUID NOT NULL,

    CONSTRAINT "webhook_stream_pkey" PRIMARY KEY ("owner_id","chain_name")
) WITH (fillfactor = 50);
