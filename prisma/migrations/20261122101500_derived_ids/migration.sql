-- What the ids of transactions and notifications are derived with: the installation's, and so a part of every backup.
ALTER TABLE "installation" ADD COLUMN "id_key" BYTEA;
ALTER TABLE "installation" ADD COLUMN "id_key_made_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
UPDATE "installation" SET "id_key" = sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'));
ALTER TABLE "installation" ALTER COLUMN "id_key" SET NOT NULL;

-- An id says when money moved, and a list is newest first by when its notifications were written. The index by id stays for the
-- release before this one.
CREATE INDEX "notification_business_id_created_at_id_idx" ON "notification"("business_id", "created_at", "id");
