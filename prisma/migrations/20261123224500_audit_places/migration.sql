-- An entry of the audit trail is signed in the transaction of its change, and gets its place in the chain afterwards.
CREATE TABLE "audit_place" (
    "seq" BIGINT NOT NULL,
    "hash" TEXT NOT NULL,
    "entry_id" UUID NOT NULL,
    CONSTRAINT "audit_place_pkey" PRIMARY KEY ("seq")
);
INSERT INTO "audit_place" ("seq", "hash", "entry_id")
SELECT "seq", COALESCE("hash", ''), "id" FROM "audit_entry" WHERE "seq" IS NOT NULL ORDER BY "seq";
CREATE UNIQUE INDEX "audit_place_entry_id_key" ON "audit_place"("entry_id");

-- Entries of before have no MAC: the installation's key signs the place up to which they are.
ALTER TABLE "audit_entry" DROP COLUMN "seq", DROP COLUMN "hash", ADD COLUMN "mac" TEXT;
ALTER TABLE "installation"
  ADD COLUMN "audit_key_ciphertext" TEXT,
  ADD COLUMN "audit_before_seq" BIGINT,
  ADD COLUMN "audit_before_hash" TEXT,
  ADD COLUMN "audit_before_mac" TEXT;

-- What waits for its place. A trigger fills it, so that what SQL inserts is looked at too.
CREATE TABLE "audit_waiting" (
    "entry_id" UUID NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "refused_at" TIMESTAMPTZ(3),
    CONSTRAINT "audit_waiting_pkey" PRIMARY KEY ("entry_id")
);
CREATE FUNCTION audit_entry_waits() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_waiting (entry_id) VALUES (NEW.id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;
CREATE TRIGGER audit_entry_waits AFTER INSERT ON "audit_entry" FOR EACH ROW EXECUTE FUNCTION audit_entry_waits();
