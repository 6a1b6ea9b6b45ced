-- An opening that the chain shows to be wrong is corrected by an entry of its own. The rows that are there satisfy the wider
-- conditions: they are not read again while the table is locked.
ALTER TABLE "ledger_entry" DROP CONSTRAINT "ledger_entry_kind";
ALTER TABLE "ledger_entry" ADD CONSTRAINT "ledger_entry_kind"
  CHECK (kind IN ('opening', 'opening_undone', 'opening_corrected', 'confirmation', 'reversal')) NOT VALID;
ALTER TABLE "ledger_entry" DROP CONSTRAINT "ledger_entry_transaction";
ALTER TABLE "ledger_entry" ADD CONSTRAINT "ledger_entry_transaction"
  CHECK ((transaction_id IS NULL) = (kind IN ('opening', 'opening_undone', 'opening_corrected'))) NOT VALID;
