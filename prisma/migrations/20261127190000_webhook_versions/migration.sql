-- What the requests to a webhook were made with, so that each attempt can be made again as it was sent (decision 156).
ALTER TABLE "webhook" ADD COLUMN "version" INTEGER NOT NULL DEFAULT 1;
-- Null: an earlier release made the attempt.
ALTER TABLE "attempt" ADD COLUMN "webhook_version" INTEGER;
CREATE TABLE "webhook_version" (
    "webhook_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "url" TEXT NOT NULL,
    "header_names" TEXT[],
    "overlap_ends_at" TIMESTAMPTZ(3),
    -- Digests of what is encrypted, and never the secrets: one that was replaced is gone.
    "secret_mark" BYTEA NOT NULL,
    "next_secret_mark" BYTEA,
    "ed25519_mark" BYTEA,
    "next_ed25519_mark" BYTEA,

    CONSTRAINT "webhook_version_pkey" PRIMARY KEY ("webhook_id", "version")
);
-- Whoever changes a webhook, the database counts: requests, rotations, and an encryption with another key.
CREATE FUNCTION webhook_version_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF (NEW.url, NEW.header_names, NEW.headers_ciphertext, NEW.overlap_ends_at, NEW.secret_ciphertext,
        NEW.next_secret_ciphertext, NEW.ed25519_ciphertext, NEW.next_ed25519_ciphertext)
      IS NOT DISTINCT FROM (OLD.url, OLD.header_names, OLD.headers_ciphertext, OLD.overlap_ends_at, OLD.secret_ciphertext,
        OLD.next_secret_ciphertext, OLD.ed25519_ciphertext, OLD.next_ed25519_ciphertext)
    THEN RETURN NEW; END IF;
    NEW.version := OLD.version + 1;
  END IF;
  INSERT INTO webhook_version (webhook_id, version, url, header_names, overlap_ends_at,
    secret_mark, next_secret_mark, ed25519_mark, next_ed25519_mark)
  VALUES (NEW.id, NEW.version, NEW.url, NEW.header_names, NEW.overlap_ends_at,
    sha256(convert_to(NEW.secret_ciphertext, 'UTF8')), sha256(convert_to(NEW.next_secret_ciphertext, 'UTF8')),
    sha256(convert_to(NEW.ed25519_ciphertext, 'UTF8')), sha256(convert_to(NEW.next_ed25519_ciphertext, 'UTF8')));
  RETURN NEW;
END $$;
CREATE TRIGGER webhook_version_inserted BEFORE INSERT ON "webhook" FOR EACH ROW EXECUTE FUNCTION webhook_version_kept();
CREATE TRIGGER webhook_version_updated BEFORE UPDATE OF url, header_names, headers_ciphertext, overlap_ends_at,
  secret_ciphertext, next_secret_ciphertext, ed25519_ciphertext, next_ed25519_ciphertext
  ON "webhook" FOR EACH ROW EXECUTE FUNCTION webhook_version_kept();
INSERT INTO webhook_version (webhook_id, version, url, header_names, overlap_ends_at,
  secret_mark, next_secret_mark, ed25519_mark, next_ed25519_mark)
SELECT id, version, url, header_names, overlap_ends_at,
  sha256(convert_to(secret_ciphertext, 'UTF8')), sha256(convert_to(next_secret_ciphertext, 'UTF8')),
  sha256(convert_to(ed25519_ciphertext, 'UTF8')), sha256(convert_to(next_ed25519_ciphertext, 'UTF8'))
FROM webhook;
