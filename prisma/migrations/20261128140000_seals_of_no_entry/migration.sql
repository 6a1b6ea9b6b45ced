-- A seal that has no entry of its own: entries of before are sealed once more. So its last id is not the journal's last one
-- at that time, and a statement has to look at the seal before. Null is no: no row is written anew. No release wrote such seals.
ALTER TABLE "ledger_seal" ADD COLUMN "again" BOOLEAN;

-- As before, and marked.
CREATE OR REPLACE FUNCTION ledger_seal_again(of_chain TEXT, ids UUID[]) RETURNS VOID LANGUAGE sql AS $$
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
  INSERT INTO ledger_seal (chain_name, number, entry_ids, digests, facts, previous_hash, hash, again)
  SELECT of_chain, last.number + 1, joined.ids, joined.digests, joined.facts, last.hash,
    ledger_seal_hash(of_chain, last.number + 1, last.hash, joined.digests || joined.facts), true
  FROM joined, last WHERE joined.ids IS NOT NULL;
$$;
