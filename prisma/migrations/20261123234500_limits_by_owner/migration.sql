-- Limits count by business and kind of work, not by key. Buckets begin full.
DROP TABLE "rate_bucket";
CREATE UNLOGGED TABLE "rate_bucket" (
    "name" TEXT NOT NULL,
    "full_at_us" BIGINT NOT NULL,
    "granted" INTEGER NOT NULL,
    CONSTRAINT "rate_bucket_pkey" PRIMARY KEY ("name")
) WITH (fillfactor = 50);
