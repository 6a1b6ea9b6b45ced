-- Every comparison that was finished, and every discrepancy from when it was found until it was resolved: one row for each,
-- for ever, and each with a hash over itself and the row before. Kept by triggers, whoever finds or resolves.
CREATE TABLE "reconciliation_record" (
  "id" UUID NOT NULL,
  "chain_name" TEXT NOT NULL,
  "number" BIGINT NOT NULL,
  "event" TEXT NOT NULL,
  "at_number" BIGINT,
  "compared" INTEGER,
  "agreed_number" BIGINT,
  "discrepancies" INTEGER,
  "wallet_id" UUID,
  "asset_id" INTEGER,
  "ledger_amount" DECIMAL,
  "chain_amount" DECIMAL,
  "resolution" TEXT,
  "recorded_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "previous_hash" TEXT NOT NULL,
  "hash" TEXT NOT NULL,

  CONSTRAINT "reconciliation_record_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "reconciliation_event" CHECK (event IN ('finished', 'found', 'changed', 'resolved')),
  CONSTRAINT "discrepancy_resolution" CHECK (resolution IN ('agreed', 'reset'))
);

CREATE UNIQUE INDEX "reconciliation_record_chain_name_number_key" ON "reconciliation_record"("chain_name", "number");
CREATE INDEX "reconciliation_record_wallet_id_id_idx" ON "reconciliation_record"("wallet_id", "id");

-- SHA-256, as hex, of all that a row says but its own hash. What is NULL counts as not there, so that a column may be added.
CREATE FUNCTION reconciliation_record_hash(record reconciliation_record) RETURNS TEXT LANGUAGE sql STABLE
SET TimeZone = 'UTC' AS $$
  SELECT encode(sha256(convert_to(jsonb_strip_nulls(to_jsonb(record) - 'hash')::text, 'UTF8')), 'hex')
$$;

-- Lets a row follow the last one of its chain, one after another. Its id sorts by time, then by its number.
CREATE FUNCTION follow_reconciliation_record() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  last reconciliation_record;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('chainbell.reconciliation_record.' || NEW.chain_name, 0));
  SELECT * INTO last FROM reconciliation_record WHERE chain_name = NEW.chain_name ORDER BY number DESC LIMIT 1;
  NEW.number := COALESCE(last.number, 0) + 1;
  NEW.id := (lpad(to_hex((EXTRACT(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0') || '7'
    || lpad(to_hex(NEW.number % 4096), 3, '0') || '8' || substr(md5(NEW.chain_name || NEW.number), 1, 15))::uuid;
  NEW.previous_hash := COALESCE(last.hash, repeat('0', 64));
  NEW.hash := reconciliation_record_hash(NEW);
  RETURN NEW;
END
$$;

CREATE FUNCTION record_reconciliation() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO reconciliation_record (chain_name, event, at_number, compared, agreed_number, discrepancies)
  VALUES (NEW.chain_name, 'finished', NEW.at_number, NEW.compared, NEW.agreed_number,
    (SELECT count(*) FROM discrepancy WHERE chain_name = NEW.chain_name));
  RETURN NULL;
END
$$;

CREATE FUNCTION record_discrepancy() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    INSERT INTO reconciliation_record
      (chain_name, event, at_number, wallet_id, asset_id, ledger_amount, chain_amount, resolution)
    VALUES (OLD.chain_name, 'resolved', (SELECT confirmed_number FROM chain WHERE name = OLD.chain_name), OLD.wallet_id,
      OLD.asset_id, OLD.ledger_amount, OLD.chain_amount,
      COALESCE(NULLIF(current_setting('chainbell.resolution', true), ''), 'agreed'));
  ELSIF TG_OP = 'INSERT' OR NEW.chain_amount - NEW.ledger_amount <> OLD.chain_amount - OLD.ledger_amount THEN
    INSERT INTO reconciliation_record (chain_name, event, at_number, wallet_id, asset_id, ledger_amount, chain_amount)
    VALUES (NEW.chain_name, CASE TG_OP WHEN 'INSERT' THEN 'found' ELSE 'changed' END, NEW.at_number, NEW.wallet_id,
      NEW.asset_id, NEW.ledger_amount, NEW.chain_amount);
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER follow BEFORE INSERT ON reconciliation_record
  FOR EACH ROW EXECUTE FUNCTION follow_reconciliation_record();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON reconciliation_record
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_all BEFORE TRUNCATE ON reconciliation_record
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- Of an undo, which lowers the agreed height alone, there is no comparison to record.
CREATE TRIGGER record_reconciliation AFTER INSERT OR UPDATE OF finished_at ON reconciliation
  FOR EACH ROW EXECUTE FUNCTION record_reconciliation();
CREATE TRIGGER record_discrepancy AFTER INSERT OR UPDATE OR DELETE ON discrepancy
  FOR EACH ROW EXECUTE FUNCTION record_discrepancy();

-- What is open now was found when it says.
INSERT INTO reconciliation_record (chain_name, event, at_number, wallet_id, asset_id, ledger_amount, chain_amount, recorded_at)
SELECT chain_name, 'found', at_number, wallet_id, asset_id, ledger_amount, chain_amount, found_at
FROM discrepancy ORDER BY found_at;
