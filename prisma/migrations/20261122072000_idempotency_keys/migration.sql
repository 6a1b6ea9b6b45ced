-- What a request with an Idempotency-Key was answered, so that the same request again is answered the same and does nothing.
-- The owner is a business's id, or an operator. A row without an answer is claimed by whoever carries the request out.
CREATE TABLE "idempotency_key" (
    "owner" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request_hash" TEXT NOT NULL,
    "claim" UUID NOT NULL,
    "claimed_until" TIMESTAMPTZ(3) NOT NULL,
    "done_at" TIMESTAMPTZ(3),
    "status" INTEGER,
    "answer_ciphertext" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_key_pkey" PRIMARY KEY ("owner", "key")
);
CREATE INDEX "idempotency_key_created_at_idx" ON "idempotency_key"("created_at");
