-- Whom a wallet has paid, by the first and last four characters of the address: a sender that only looks like one of them
-- is marked (decision 142). One entry for each withdrawal.
CREATE INDEX "transaction_paid_idx" ON "transaction"("wallet_id", (substr("to_address", 3, 4) || right("to_address", 4)), "id") WHERE (type = 'withdrawal');
