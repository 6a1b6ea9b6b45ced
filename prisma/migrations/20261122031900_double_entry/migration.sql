-- Double entry, and a journal that cannot be changed unnoticed (decision 43). Triggers do it, not the statements that write
-- entries: so no writer can leave it out, and the release before this one may run beside it.

-- The other side of every entry, by asset: what the wallets of an asset hold and its accounts add up to zero.
CREATE TABLE "ledger_account" (
  "asset_id" INTEGER NOT NULL,
  "account" TEXT NOT NULL,
  "amount" DECIMAL NOT NULL,

  CONSTRAINT "ledger_account_pkey" PRIMARY KEY ("asset_id", "account"),
  CONSTRAINT "ledger_account_name" CHECK (account IN ('chain', 'fees', 'opening', 'adjustment'))
);

-- One for each statement that writes entries of a chain: their digests, and a hash over them and the seal before.
CREATE TABLE "ledger_seal" (
  "chain_name" TEXT NOT NULL,
  "number" BIGINT NOT NULL,
  "entry_ids" BIGINT[],
  "digests" BYTEA NOT NULL,
  "previous_hash" TEXT NOT NULL,
  "hash" TEXT NOT NULL,
  "sealed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

  CONSTRAINT "ledger_seal_pkey" PRIMARY KEY ("chain_name", "number")
);

ALTER TABLE "ledger_account" ADD CONSTRAINT "ledger_account_asset_id_fkey"
  FOREIGN KEY ("asset_id") REFERENCES "asset"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "ledger_seal" ADD CONSTRAINT "ledger_seal_chain_name_fkey"
  FOREIGN KEY ("chain_name") REFERENCES "chain"("name") ON DELETE RESTRICT ON UPDATE CASCADE;

-- The account that an entry stands against: src/domain/evidence/ledger-entry.ts, which a test holds this against. NULL for what
-- is missing here, which no account takes.
CREATE FUNCTION ledger_account_of(kind TEXT, type TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN kind LIKE 'opening%' THEN 'opening'
    WHEN type IN ('deposit', 'withdrawal', 'payment', 'income') THEN 'chain'
    WHEN type = 'fee' THEN 'fees'
    WHEN type IN ('adjustment', 'unattributed') THEN 'adjustment'
  END
$$;

-- SHA-256 of everything that an entry says, its account included.
CREATE FUNCTION ledger_entry_digest(
  id BIGINT, wallet_id UUID, asset_id INTEGER, transaction_id UUID, kind TEXT, amount NUMERIC, block_number BIGINT,
  created_at TIMESTAMPTZ, account TEXT
) RETURNS BYTEA LANGUAGE sql STABLE AS $$
  SELECT sha256(convert_to(concat_ws('|', id, wallet_id, asset_id, COALESCE(transaction_id::text, ''), kind, amount,
    block_number, (EXTRACT(epoch FROM created_at) * 1000)::bigint, account), 'UTF8'))
$$;

-- The hash of a seal, as hex: of its chain, its number, the hash before it and its entries' digests.
CREATE FUNCTION ledger_seal_hash(chain_name TEXT, number BIGINT, previous_hash TEXT, digests BYTEA)
RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
  SELECT encode(sha256(convert_to(concat_ws('|', chain_name, number, previous_hash, ''), 'UTF8') || digests), 'hex')
$$;

-- Enters what was written on its accounts, and seals it. The chain's row is locked, as by every commit: one seal follows
-- another. Each transaction is looked up by its id, whatever a plan made for a small table would prefer.
CREATE FUNCTION ledger_entry_written() RETURNS TRIGGER LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  of_chain TEXT;
BEGIN
  FOR of_chain IN
    SELECT DISTINCT a.chain_name FROM written w JOIN asset a ON a.id = w.asset_id ORDER BY a.chain_name
  LOOP
    PERFORM 1 FROM chain c WHERE c.name = of_chain FOR NO KEY UPDATE;
    WITH entry AS (
      SELECT w.*, ledger_account_of(w.kind, t.type) AS account
      FROM written w JOIN asset a ON a.id = w.asset_id AND a.chain_name = of_chain
        LEFT JOIN transaction t ON t.id = w.transaction_id
    ), digested AS MATERIALIZED (
      SELECT id, asset_id, account, amount, ledger_entry_digest(id, wallet_id, asset_id, transaction_id, kind, amount,
        block_number, created_at, account) AS digest
      FROM entry
    ), posted AS (
      INSERT INTO ledger_account AS held (asset_id, account, amount)
      SELECT asset_id, account, -sum(amount) FROM digested GROUP BY asset_id, account
      ON CONFLICT (asset_id, account) DO UPDATE SET amount = held.amount + EXCLUDED.amount
    ), joined AS (
      SELECT array_agg(id ORDER BY id) AS ids, string_agg(digest, ''::bytea ORDER BY id) AS digests FROM digested
    ), last AS (
      SELECT COALESCE(max(s.number), 0) AS number, COALESCE(max(s.hash), repeat('0', 64)) AS hash
      FROM (SELECT number, hash FROM ledger_seal WHERE chain_name = of_chain ORDER BY number DESC LIMIT 1) s
    )
    INSERT INTO ledger_seal (chain_name, number, entry_ids, digests, previous_hash, hash)
    SELECT of_chain, last.number + 1, joined.ids, joined.digests, last.hash,
      ledger_seal_hash(of_chain, last.number + 1, last.hash, joined.digests)
    FROM joined, last;
  END LOOP;
  RETURN NULL;
END
$$;

-- What is written already: its accounts, and a seal for every thousand entries.
INSERT INTO ledger_account (asset_id, account, amount)
SELECT e.asset_id, ledger_account_of(e.kind, t.type), -sum(e.amount)
FROM ledger_entry e LEFT JOIN transaction t ON t.id = e.transaction_id GROUP BY 1, 2;

DO $$
DECLARE
  of_chain TEXT;
  part RECORD;
  before TEXT;
BEGIN
  FOR of_chain IN SELECT name FROM chain LOOP
    before := repeat('0', 64);
    FOR part IN
      WITH entry AS (
        SELECT e.*, ledger_account_of(e.kind, t.type) AS account, (row_number() OVER (ORDER BY e.id) - 1) / 1000 + 1 AS number
        FROM ledger_entry e JOIN asset a ON a.id = e.asset_id AND a.chain_name = of_chain
          LEFT JOIN transaction t ON t.id = e.transaction_id
      )
      SELECT number, array_agg(id ORDER BY id) AS ids, string_agg(ledger_entry_digest(id, wallet_id, asset_id,
        transaction_id, kind, amount, block_number, created_at, account), ''::bytea ORDER BY id) AS digests
      FROM entry GROUP BY number ORDER BY number
    LOOP
      INSERT INTO ledger_seal (chain_name, number, entry_ids, digests, previous_hash, hash)
      VALUES (of_chain, part.number, part.ids, part.digests, before,
        ledger_seal_hash(of_chain, part.number, before, part.digests))
      RETURNING hash INTO before;
    END LOOP;
  END LOOP;
END
$$;

CREATE TRIGGER ledger_entry_written AFTER INSERT ON ledger_entry
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION ledger_entry_written();

-- Entries and seals are added to, and never changed. By rows: a foreign key's own UPDATE that finds none is no change.
CREATE FUNCTION refuse_change() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON ledger_entry FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_all BEFORE TRUNCATE ON ledger_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON ledger_seal FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_all BEFORE TRUNCATE ON ledger_seal FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
