-- Whose business an entry is about, and its place in a chain of hashes: an entry that is changed, moved or taken out shows. Entries
-- of before have no place.
ALTER TABLE "audit_entry"
  ADD COLUMN "business_id" UUID,
  ADD COLUMN "seq" BIGINT,
  ADD COLUMN "hash" TEXT;
CREATE UNIQUE INDEX "audit_entry_seq_key" ON "audit_entry"("seq");
CREATE INDEX "audit_entry_business_id_id_idx" ON "audit_entry"("business_id", "id");
ALTER TABLE "audit_entry" DROP CONSTRAINT "audit_entry_via",
  ADD CONSTRAINT "audit_entry_via" CHECK (via IN ('http', 'cli', 'system', 'api'));
