-- While a rotation overlaps, notifications carry the signatures of both pairs, as of both secrets.
ALTER TABLE "webhook"
  ADD COLUMN "next_ed25519_ciphertext" TEXT,
  ADD COLUMN "next_ed25519_public_key" TEXT;
