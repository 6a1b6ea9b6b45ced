-- Transactions in blocks of the period that are not in the closing of a statement: its lines name them apart. Those that were
-- given out before name none.
ALTER TABLE "account_statement" ADD COLUMN "unconfirmed" INTEGER NOT NULL DEFAULT 0;
