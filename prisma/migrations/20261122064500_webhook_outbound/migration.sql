-- What a business adds to the requests to its webhook, each encrypted as the secret is, beside what may be shown of it.
ALTER TABLE "webhook" ADD COLUMN "headers_ciphertext" TEXT,
  ADD COLUMN "header_names" TEXT[] NOT NULL DEFAULT '{}',
  ADD COLUMN "certificate_ciphertext" TEXT,
  ADD COLUMN "certificate_fingerprint" TEXT,
  ADD COLUMN "certificate_expires_at" TIMESTAMPTZ(3),
  ADD COLUMN "ed25519_ciphertext" TEXT,
  ADD COLUMN "ed25519_public_key" TEXT,
  ADD CONSTRAINT "webhook_certificate_whole" CHECK (
    (certificate_ciphertext IS NULL) = (certificate_fingerprint IS NULL)
    AND (certificate_ciphertext IS NULL) = (certificate_expires_at IS NULL)),
  ADD CONSTRAINT "webhook_ed25519_whole" CHECK ((ed25519_ciphertext IS NULL) = (ed25519_public_key IS NULL));
