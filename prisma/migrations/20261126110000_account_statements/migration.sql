-- Statements that were given out, and their lines as they were signed.
CREATE TABLE "account_statement" (
    "id" UUID NOT NULL,
    "business_id" UUID NOT NULL,
    "made_at" TIMESTAMPTZ(3) NOT NULL,
    "made_by" TEXT NOT NULL,
    "made_via" TEXT NOT NULL,
    "finished_at" TIMESTAMPTZ(3),
    "period_from" TIMESTAMPTZ(3) NOT NULL,
    "period_to" TIMESTAMPTZ(3) NOT NULL,
    "time_zone" TEXT NOT NULL,
    "filter" JSONB NOT NULL,
    "chains" JSONB NOT NULL,
    "is_final" BOOLEAN NOT NULL,
    "holdings" INTEGER NOT NULL DEFAULT 0,
    "unknown_openings" INTEGER NOT NULL DEFAULT 0,
    "entries" INTEGER NOT NULL DEFAULT 0,
    "unpriced" INTEGER NOT NULL DEFAULT 0,
    "digest" TEXT,
    "key_id" TEXT,
    "signature" TEXT,

    CONSTRAINT "account_statement_pkey" PRIMARY KEY ("id")
);
ALTER TABLE "account_statement" ADD CONSTRAINT "account_statement_business_id_fkey" FOREIGN KEY ("business_id") REFERENCES "business"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "account_statement" ADD CONSTRAINT "account_statement_finished" CHECK (
    finished_at IS NULL OR (digest IS NOT NULL AND key_id IS NOT NULL AND signature IS NOT NULL)
);
CREATE INDEX "account_statement_business_id_id_idx" ON "account_statement"("business_id", "id");
-- The one of a period that is given again.
CREATE INDEX "account_statement_business_id_period_from_period_to_idx" ON "account_statement"("business_id", "period_from", "period_to");
-- What the pruner looks at.
CREATE INDEX "account_statement_made_at_idx" ON "account_statement"("made_at") WHERE (NOT is_final OR finished_at IS NULL);

CREATE TABLE "account_statement_chunk" (
    "statement_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "body" BYTEA NOT NULL,

    CONSTRAINT "account_statement_chunk_pkey" PRIMARY KEY ("statement_id","number")
);
ALTER TABLE "account_statement_chunk" ADD CONSTRAINT "account_statement_chunk_statement_id_fkey" FOREIGN KEY ("statement_id") REFERENCES "account_statement"("id") ON DELETE CASCADE ON UPDATE CASCADE;
-- Bodies are compressed already.
ALTER TABLE "account_statement_chunk" ALTER COLUMN "body" SET STORAGE EXTERNAL;
