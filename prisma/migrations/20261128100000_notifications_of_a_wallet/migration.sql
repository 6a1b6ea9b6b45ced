-- A list of notifications is filtered by the wallets that they are about. Of most the transaction says which. Those about
-- no transaction, such as of a threshold or of an unlisted token, name the wallet themselves: few, so this is small.
CREATE INDEX "notification_wallet_idx" ON "notification"("wallet_id") WHERE (wallet_id IS NOT NULL);
