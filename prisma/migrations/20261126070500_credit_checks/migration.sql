-- What a business has credited, compared with the ledger: the runs, and the answer to each line.
CREATE TABLE "credit_check" (
    "id" UUID NOT NULL,
    "business_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),
    "format" TEXT NOT NULL,
    "digest" TEXT,
    "credits" INTEGER NOT NULL DEFAULT 0,
    "period_from" TIMESTAMPTZ(3),
    "period_to" TIMESTAMPTZ(3),
    "counts" JSONB,
    "assets" JSONB,

    CONSTRAINT "credit_check_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "credit_check_business_id_id_idx" ON "credit_check"("business_id", "id");
ALTER TABLE "credit_check" ADD CONSTRAINT "credit_check_business_id_fkey" FOREIGN KEY ("business_id") REFERENCES "business"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "credit_check" ADD CONSTRAINT "credit_check_finished" CHECK (
    finished_at IS NULL OR (digest IS NOT NULL AND period_from IS NOT NULL AND period_to IS NOT NULL AND counts IS NOT NULL AND assets IS NOT NULL)
);

CREATE TABLE "credit_line" (
    "check_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "verdict" TEXT NOT NULL,
    "cause" TEXT,
    "reference" TEXT,
    "credited_at" TIMESTAMPTZ(3),
    "asset" TEXT,
    "amount" DECIMAL,
    "transaction_id" UUID,
    "tx_hash" TEXT,
    "wallet_id" UUID,
    "address" TEXT,
    "received_asset" TEXT,
    "received_amount" DECIMAL,
    "problem" TEXT,
    "text" TEXT,

    CONSTRAINT "credit_line_pkey" PRIMARY KEY ("check_id","number")
);
ALTER TABLE "credit_line" ADD CONSTRAINT "credit_line_check_id_fkey" FOREIGN KEY ("check_id") REFERENCES "credit_check"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "credit_line" ADD CONSTRAINT "credit_line_verdict" CHECK (
    verdict IN ('matches', 'not_received', 'not_credited', 'credited_twice', 'other_wallet', 'other_asset', 'other_amount', 'before_confirmed', 'reversed', 'malformed')
);
-- The credits of one transaction, the first of them first.
CREATE INDEX "credit_line_check_id_transaction_id_credited_at_number_idx" ON "credit_line"("check_id", "transaction_id", "credited_at", "number") WHERE (verdict <> 'not_received' AND transaction_id IS NOT NULL);
-- What is to be looked at, by verdict and by what the next run has of it.
CREATE INDEX "credit_line_found_idx" ON "credit_line"("check_id", "verdict", "number") WHERE (verdict <> 'matches');
CREATE INDEX "credit_line_reference_idx" ON "credit_line"("check_id", "reference") WHERE (verdict <> 'matches' AND reference IS NOT NULL);
