-- Attempts a second at most, on average; null: as many as there are places. `rate_until` is how far ahead of time they are.
ALTER TABLE "webhook" ADD COLUMN "rate" INTEGER,
  ADD COLUMN "rate_until" TIMESTAMPTZ(6),
  ADD CONSTRAINT "webhook_rate_range" CHECK (rate BETWEEN 1 AND 1000);

-- While the circuit is open nothing is sent before `circuit_retry_at`, and then one attempt.
ALTER TABLE "webhook" ADD COLUMN "circuit_opened_at" TIMESTAMPTZ(3),
  ADD COLUMN "circuit_retry_at" TIMESTAMPTZ(3),
  ADD CONSTRAINT "webhook_circuit_whole" CHECK ((circuit_opened_at IS NULL) = (circuit_retry_at IS NULL));
