-- What a key may do, from where and until when. Null: everything, from everywhere, for ever, as all keys until now.
ALTER TABLE "api_key"
  ADD COLUMN "scopes" TEXT[],
  ADD COLUMN "networks" TEXT[],
  ADD COLUMN "expires_at" TIMESTAMPTZ(3),
  ADD COLUMN "last_used_at" TIMESTAMPTZ(3);
