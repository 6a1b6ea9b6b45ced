-- What waits and is claimed by nobody, in rows that are narrow and never change: a relay goes on where it was (decision 92).
CREATE TABLE "due_delivery" (
    "delivery_id" UUID NOT NULL,
    "webhook_id" UUID,
    "business_id" UUID NOT NULL,
    "is_retry" BOOLEAN NOT NULL,
    "place" BIGINT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "position" BIGSERIAL NOT NULL,
    CONSTRAINT "due_delivery_pkey" PRIMARY KEY ("delivery_id")
);

-- The one place that writes it. Rows change with the deliveries, whoever changes those.
CREATE FUNCTION delivery_due() RETURNS TRIGGER LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM due_delivery WHERE delivery_id = ANY (ARRAY(
      SELECT id FROM before WHERE status = 'waiting' AND claim_token IS NULL));
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO due_delivery (delivery_id, webhook_id, business_id, is_retry, place, due_at, created_at)
    SELECT id, webhook_id, business_id, attempts > 0,
      CASE WHEN attempts > 0 THEN (extract(epoch FROM due_at) * 1000)::bigint ELSE seq END, due_at, created_at
    FROM after WHERE status = 'waiting' AND claim_token IS NULL ORDER BY seq;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER delivery_due_inserted AFTER INSERT ON "delivery"
  REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION delivery_due();
CREATE TRIGGER delivery_due_updated AFTER UPDATE ON "delivery"
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION delivery_due();
CREATE TRIGGER delivery_due_deleted AFTER DELETE ON "delivery"
  REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION delivery_due();

INSERT INTO "due_delivery" ("delivery_id", "webhook_id", "business_id", "is_retry", "place", "due_at", "created_at")
SELECT "id", "webhook_id", "business_id", "attempts" > 0,
  CASE WHEN "attempts" > 0 THEN (extract(epoch FROM "due_at") * 1000)::bigint ELSE "seq" END, "due_at", "created_at"
FROM "delivery" WHERE "status" = 'waiting' AND "claim_token" IS NULL ORDER BY "seq";

CREATE INDEX "due_delivery_webhook_id_is_retry_place_idx" ON "due_delivery"("webhook_id", "is_retry", "place");
CREATE INDEX "due_delivery_position_idx" ON "due_delivery"("position");
DROP INDEX "delivery_fresh_idx";
DROP INDEX "delivery_retry_idx";

-- Tokens begin with the number of the claim in this order.
CREATE SEQUENCE claim_order;

-- The turn of a webhook, which each claim writes: the newest number is read, and never what was before.
CREATE TABLE "webhook_turn" (
    "webhook_id" UUID NOT NULL,
    "number" BIGINT NOT NULL,
    "claimed_at" TIMESTAMPTZ(6) NOT NULL,
    "rate_until" TIMESTAMPTZ(6),
    CONSTRAINT "webhook_turn_pkey" PRIMARY KEY ("webhook_id", "number")
);
INSERT INTO "webhook_turn" ("webhook_id", "number", "claimed_at", "rate_until")
SELECT "id", 0, "last_claimed_at", "rate_until" FROM "webhook" WHERE "last_claimed_at" IS NOT NULL;
ALTER TABLE "webhook"
  DROP COLUMN "last_claimed_at",
  DROP COLUMN "rate_until",
  ADD COLUMN "mark" BIGINT NOT NULL DEFAULT 0;
CREATE INDEX "webhook_mark_idx" ON "webhook"("business_id", "id", "mark") WHERE (deleted_at IS NULL);
