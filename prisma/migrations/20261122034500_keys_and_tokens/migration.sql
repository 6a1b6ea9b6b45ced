-- What the encryption key makes of a fixed text: a daemon with another key is refused at its start.
ALTER TABLE "installation" ADD COLUMN "key_check" TEXT;

-- Access tokens that were ended before they expired; each row goes once its token has expired.
CREATE TABLE "ended_token" (
    "id" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "ended_token_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "ended_token_expires_at_idx" ON "ended_token"("expires_at");

-- From where an operator, or who tried to be one, sent the request; null: on the command line.
ALTER TABLE "audit_entry" ADD COLUMN "address" TEXT;
