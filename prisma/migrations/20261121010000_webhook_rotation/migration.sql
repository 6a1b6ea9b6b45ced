-- A webhook's secret can be rotated with an overlap, and whether its receiver times out is known.
ALTER TABLE "webhook" ADD COLUMN     "next_secret_ciphertext" TEXT,
ADD COLUMN     "overlap_ends_at" TIMESTAMPTZ(3),
ADD COLUMN     "is_timing_out" BOOLEAN NOT NULL DEFAULT false;

ALTER TABLE "webhook"
  ADD CONSTRAINT "webhook_rotation_whole" CHECK ((next_secret_ciphertext IS NULL) = (overlap_ends_at IS NULL));
