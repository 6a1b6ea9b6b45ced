-- The chain's confirmed height when an opening was recorded: comparisons of ledger and chain above it have included the balance.
-- Null: not recorded yet, or of before this was kept.
ALTER TABLE "balance" ADD COLUMN "opened_number" BIGINT;
