-- The notifications of a business and chain are a stream: numbered from 1, without a gap (decision 103). Those that are
-- there already have no number.
ALTER TABLE "notification"
  ADD COLUMN "chain_name" TEXT,
  ADD COLUMN "sequence" BIGINT,
  ADD COLUMN "digest" BYTEA,
  ADD CONSTRAINT "notification_stream" CHECK (num_nulls("chain_name", "sequence", "digest") IN (0, 3)) NOT VALID;
CREATE UNIQUE INDEX "notification_business_id_chain_name_sequence_key"
  ON "notification"("business_id", "chain_name", "sequence") WHERE (sequence IS NOT NULL);

-- Of a stream, the last notification that retention has removed.
CREATE TABLE "pruned_stream" (
    "business_id" UUID NOT NULL,
    "chain_name" TEXT NOT NULL,
    "sequence" BIGINT NOT NULL,
    "digest" BYTEA NOT NULL,
    CONSTRAINT "pruned_stream_pkey" PRIMARY KEY ("business_id", "chain_name")
);
