-- A webhook may ask for the order of each wallet (decision 107).
ALTER TABLE "webhook"
  ADD COLUMN "is_ordered" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "holds_exhausted" BOOLEAN NOT NULL DEFAULT false;

-- A line: the deliveries of a wallet to one webhook that asked for the order, until each of them ends. A delivery without
-- a wallet stands in no line. The first webhook of a business may be replaced, and its lines go on: they are the business's.
ALTER TABLE "delivery"
  ADD COLUMN "wallet_id" UUID,
  ADD COLUMN "is_behind" BOOLEAN NOT NULL DEFAULT false,
  ADD CONSTRAINT "delivery_line" CHECK (
    CASE WHEN wallet_id IS NULL THEN NOT is_behind
      ELSE status IN ('waiting', 'exhausted') AND NOT (is_behind AND claim_token IS NOT NULL) END);

CREATE INDEX "delivery_behind_idx" ON "delivery"
  ((CASE WHEN is_additional THEN webhook_id ELSE business_id END), "wallet_id", "seq") WHERE (is_behind);
CREATE INDEX "delivery_front_idx" ON "delivery"
  ((CASE WHEN is_additional THEN webhook_id ELSE business_id END), "wallet_id", "seq") WHERE (wallet_id IS NOT NULL AND NOT is_behind);

-- Of each line the oldest is at its front while no other one is claimed, and all others are behind. A claimed one is never
-- behind. Whoever waits here for another transaction reads after that, and sees what it has written.
-- Nobody waits here for a row. Another transaction that holds one of these rows either claims it, and comes here when the
-- claim ends; or it changes the row otherwise, and comes here at its own end.
CREATE FUNCTION delivery_front(owners UUID[], wallets UUID[]) RETURNS VOID LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  part INTEGER;
BEGIN
  FOR part IN SELECT DISTINCT uuid_hash(owner) & 255 FROM unnest(owners) owner ORDER BY 1 LOOP
    -- "order" in a number. Of an owner, so that businesses do not wait for each other. In parts, because locks of every
    -- owner in a large block would fill the table of locks.
    PERFORM pg_advisory_xact_lock(1869767781, part);
  END LOOP;
  WITH member AS MATERIALIZED (
    SELECT line.owner, line.wallet, m.id, m.seq, m.is_front
    FROM (SELECT DISTINCT owner, wallet FROM unnest(owners, wallets) AS l(owner, wallet)) line CROSS JOIN LATERAL (
      (SELECT id, seq, false AS is_front FROM delivery d
       WHERE d.is_behind AND (CASE WHEN is_additional THEN webhook_id ELSE business_id END) = line.owner
         AND d.wallet_id = line.wallet ORDER BY seq LIMIT 1)
      UNION ALL
      (SELECT id, seq, true FROM delivery d
       WHERE d.wallet_id IS NOT NULL AND NOT d.is_behind
         AND (CASE WHEN is_additional THEN webhook_id ELSE business_id END) = line.owner
         AND d.wallet_id = line.wallet)
    ) m
  ), held AS MATERIALIZED (
    SELECT d.id, d.claim_token IS NOT NULL AS is_claimed FROM delivery d
    WHERE d.id IN (SELECT id FROM member) FOR NO KEY UPDATE SKIP LOCKED
  ), placed AS (
    SELECT m.*, h.id IS NOT NULL AND NOT h.is_claimed AS is_free,
      row_number() OVER (PARTITION BY m.owner, m.wallet ORDER BY m.seq, m.id) = 1 AS is_oldest
    FROM member m LEFT JOIN held h ON h.id = m.id
  ), judged AS (
    SELECT id, is_front, is_free, NOT is_oldest
      OR bool_or(is_front AND NOT is_free AND NOT is_oldest) OVER (PARTITION BY owner, wallet) AS is_behind
    FROM placed
  )
  UPDATE delivery d SET is_behind = j.is_behind
  FROM judged j WHERE d.id = j.id AND j.is_free AND j.is_front = j.is_behind;
END
$$;

-- As before, without those behind. A line is to be looked at when one joins or leaves it, and after every change of one in
-- it that is no claim, but for the change that the look itself makes. The lines are kept for the end of the transaction.
CREATE OR REPLACE FUNCTION delivery_due() RETURNS TRIGGER LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  lines TEXT;
BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM due_delivery WHERE delivery_id = ANY (ARRAY(
      SELECT id FROM before WHERE status = 'waiting' AND claim_token IS NULL AND NOT is_behind));
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO due_delivery (delivery_id, webhook_id, business_id, is_retry, place, due_at, created_at)
    SELECT id, webhook_id, business_id, attempts > 0,
      CASE WHEN attempts > 0 THEN (extract(epoch FROM due_at) * 1000)::bigint ELSE seq END, due_at, created_at
    FROM after WHERE status = 'waiting' AND claim_token IS NULL AND NOT is_behind ORDER BY seq;
  END IF;
  IF TG_OP = 'INSERT' THEN
    SELECT string_agg(DISTINCT CASE WHEN is_additional THEN webhook_id ELSE business_id END || '/' || wallet_id, ',')
    INTO lines FROM after WHERE wallet_id IS NOT NULL;
  ELSIF TG_OP = 'DELETE' THEN
    SELECT string_agg(DISTINCT CASE WHEN is_additional THEN webhook_id ELSE business_id END || '/' || wallet_id, ',')
    INTO lines FROM before WHERE wallet_id IS NOT NULL;
  ELSE
    SELECT string_agg(DISTINCT CASE WHEN x.is_additional THEN x.webhook_id ELSE x.business_id END || '/' || x.wallet_id, ',')
    INTO lines FROM (
      SELECT b.is_additional, b.webhook_id, b.business_id, b.wallet_id
      FROM (SELECT * FROM before WHERE wallet_id IS NOT NULL) b JOIN after a ON a.id = b.id
      WHERE a.wallet_id IS DISTINCT FROM b.wallet_id
      UNION ALL
      SELECT a.is_additional, a.webhook_id, a.business_id, a.wallet_id
      FROM (SELECT * FROM after WHERE wallet_id IS NOT NULL) a JOIN before b ON b.id = a.id
      WHERE b.wallet_id IS DISTINCT FROM a.wallet_id OR a.claim_token IS NULL AND a.is_behind = b.is_behind
    ) x;
  END IF;
  IF lines IS NOT NULL THEN
    PERFORM set_config('chainbell.lines', concat_ws(',', nullif(current_setting('chainbell.lines', true), ''), lines), true);
  END IF;
  RETURN NULL;
END
$$;

-- At the end of its transaction the first of the rows that have changed a line looks at all lines that were kept. Locks of
-- lines are so taken once in a transaction, in one order, and after all else that it waits for (decision 107).
CREATE FUNCTION delivery_look() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  lines TEXT := current_setting('chainbell.lines', true);
BEGIN
  IF lines <> '' THEN
    PERFORM set_config('chainbell.lines', '', true);
    PERFORM delivery_front(array_agg(split_part(line, '/', 1)::uuid), array_agg(split_part(line, '/', 2)::uuid))
    FROM unnest(string_to_array(lines, ',')) line;
  END IF;
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER delivery_line_inserted AFTER INSERT ON "delivery" DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.wallet_id IS NOT NULL) EXECUTE FUNCTION delivery_look();
CREATE CONSTRAINT TRIGGER delivery_line_updated AFTER UPDATE ON "delivery" DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.wallet_id IS DISTINCT FROM OLD.wallet_id
    OR NEW.wallet_id IS NOT NULL AND NEW.claim_token IS NULL AND NEW.is_behind = OLD.is_behind)
  EXECUTE FUNCTION delivery_look();
CREATE CONSTRAINT TRIGGER delivery_line_deleted AFTER DELETE ON "delivery" DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.wallet_id IS NOT NULL) EXECUTE FUNCTION delivery_look();
