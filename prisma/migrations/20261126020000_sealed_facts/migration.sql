-- A seal also covers what the rows beside its entries say: memo, virtual address, proof, times, measured amounts. Seals of
-- before have no facts, and their hash stays what it was (decision 127).
ALTER TABLE "ledger_seal" ADD COLUMN "facts" BYTEA;

-- SHA-256 of what a transaction says that its entry does not. Status, wallet and asset are in the entry, or follow from it.
CREATE FUNCTION transaction_facts(t "transaction") RETURNS BYTEA LANGUAGE sql STABLE AS $$
  SELECT sha256(convert_to(array_to_string(ARRAY[
    t.type, t.direction, t.amount::text, t.tx_hash, t.from_address, t.to_address, t.memo, t.virtual_address, t.proof,
    t.confirmed_alone::text, t.block_hash, (EXTRACT(epoch FROM t.block_time) * 1000)::bigint::text, t.ordinal::text,
    t.log_index::text, t.trace_path, t.since_number::text, t.usd_value::text,
    (EXTRACT(epoch FROM t.completed_at) * 1000)::bigint::text, (EXTRACT(epoch FROM t.created_at) * 1000)::bigint::text
  ], '|', '-'), 'UTF8'))
$$;

-- The same of a balance's opening.
CREATE FUNCTION opening_facts(b balance) RETURNS BYTEA LANGUAGE sql STABLE AS $$
  SELECT sha256(convert_to(array_to_string(ARRAY[b.opening::text, b.opening_proof], '|', '-'), 'UTF8'))
$$;

-- As before, and with the facts of each entry.
CREATE OR REPLACE FUNCTION ledger_entry_written() RETURNS TRIGGER LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  of_chain TEXT;
BEGIN
  FOR of_chain IN
    SELECT DISTINCT a.chain_name FROM written w JOIN asset a ON a.id = w.asset_id ORDER BY a.chain_name
  LOOP
    PERFORM 1 FROM chain c WHERE c.name = of_chain FOR NO KEY UPDATE;
    WITH entry AS (
      SELECT w.*, ledger_account_of(w.kind, t.type) AS account,
        CASE WHEN w.transaction_id IS NULL THEN opening_facts(b) ELSE transaction_facts(t) END AS facts
      FROM written w JOIN asset a ON a.id = w.asset_id AND a.chain_name = of_chain
        JOIN balance b ON b.wallet_id = w.wallet_id AND b.asset_id = w.asset_id
        LEFT JOIN transaction t ON t.id = w.transaction_id
    ), digested AS MATERIALIZED (
      SELECT id, asset_id, account, amount, facts, ledger_entry_digest(id, wallet_id, asset_id, transaction_id, kind, amount,
        block_number, created_at, account) AS digest
      FROM entry
    ), posted AS (
      INSERT INTO ledger_account AS held (asset_id, account, amount)
      SELECT asset_id, account, -sum(amount) FROM digested GROUP BY asset_id, account
      ON CONFLICT (asset_id, account) DO UPDATE SET amount = held.amount + EXCLUDED.amount
    ), joined AS (
      SELECT array_agg(id ORDER BY id) AS ids, string_agg(digest, ''::bytea ORDER BY id) AS digests,
        string_agg(facts, ''::bytea ORDER BY id) AS facts
      FROM digested
    ), last AS (
      SELECT COALESCE(max(s.number), 0) AS number, COALESCE(max(s.hash), repeat('0', 64)) AS hash
      FROM (SELECT number, hash FROM ledger_seal WHERE chain_name = of_chain ORDER BY number DESC LIMIT 1) s
    )
    INSERT INTO ledger_seal (chain_name, number, entry_ids, digests, facts, previous_hash, hash)
    SELECT of_chain, last.number + 1, joined.ids, joined.digests, joined.facts, last.hash,
      ledger_seal_hash(of_chain, last.number + 1, last.hash, joined.digests || joined.facts)
    FROM joined, last;
  END LOOP;
  RETURN NULL;
END
$$;

-- Seals the last entry of each of these transactions once more: their facts have changed with no entry, in a block that took
-- the place of theirs. The caller holds the chain's lock.
CREATE FUNCTION ledger_seal_again(of_chain TEXT, ids UUID[]) RETURNS VOID LANGUAGE sql AS $$
  WITH entry AS (
    SELECT DISTINCT ON (e.transaction_id) e.*, ledger_account_of(e.kind, t.type) AS account, transaction_facts(t) AS facts
    FROM transaction t JOIN ledger_entry e ON e.transaction_id = t.id WHERE t.id = ANY(ids)
    ORDER BY e.transaction_id, e.id DESC
  ), joined AS (
    SELECT array_agg(id ORDER BY id) AS ids, string_agg(facts, ''::bytea ORDER BY id) AS facts,
      string_agg(ledger_entry_digest(id, wallet_id, asset_id, transaction_id, kind, amount, block_number, created_at,
        account), ''::bytea ORDER BY id) AS digests
    FROM entry
  ), last AS (
    SELECT number, hash FROM ledger_seal WHERE chain_name = of_chain ORDER BY number DESC LIMIT 1
  )
  INSERT INTO ledger_seal (chain_name, number, entry_ids, digests, facts, previous_hash, hash)
  SELECT of_chain, last.number + 1, joined.ids, joined.digests, joined.facts, last.hash,
    ledger_seal_hash(of_chain, last.number + 1, last.hash, joined.digests || joined.facts)
  FROM joined, last WHERE joined.ids IS NOT NULL;
$$;
