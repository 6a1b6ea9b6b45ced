-- What is watched has one owner: it changes only when a configuration is applied, and each one that was is a row.
CREATE TABLE "configuration" (
    "version" BIGINT NOT NULL,
    "digest" TEXT NOT NULL,
    "applied_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "configuration_pkey" PRIMARY KEY ("version")
);

-- When an asset was left out of the configuration that was applied: it is recorded as before, and nobody is notified.
ALTER TABLE "asset" ADD COLUMN "left_at" TIMESTAMPTZ(3);
