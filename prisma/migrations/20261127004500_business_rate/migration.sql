-- Attempts a second at all webhooks of a business together; null: not limited (decision 145).
ALTER TABLE "business" ADD COLUMN "rate" INTEGER,
  ADD CONSTRAINT "business_rate_range" CHECK (rate BETWEEN 1 AND 10000);
ALTER TABLE "webhook_turn" ADD COLUMN "business_rate_until" TIMESTAMPTZ(6);
