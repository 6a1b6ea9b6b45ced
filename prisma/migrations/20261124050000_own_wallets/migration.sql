-- A key may add wallets of its business until the business has so many: an operator grants it.
ALTER TABLE "api_key" ADD COLUMN "max_wallets" INTEGER,
  ADD CONSTRAINT "api_key_max_wallets" CHECK (
    max_wallets > 0 AND (max_wallets IS NOT NULL) = ('wallets:write' = ANY(COALESCE(scopes, '{}')))
  );
