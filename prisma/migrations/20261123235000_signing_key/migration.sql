-- The keys that sign what is handed to others, such as attestations. The public half stays for good.
CREATE TABLE "signing_key" (
    "id" TEXT NOT NULL,
    "public_key" TEXT NOT NULL,
    "private_ciphertext" TEXT NOT NULL,
    "made_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "retired_at" TIMESTAMPTZ(3),
    CONSTRAINT "signing_key_pkey" PRIMARY KEY ("id")
);
