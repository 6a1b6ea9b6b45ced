-- The console: links that let somebody in once, and the sessions of those who came in. Of both, the digest alone.
-- Without a business they are an operator's.
CREATE TABLE "console_link" (
    "digest" TEXT NOT NULL,
    "business_id" UUID,
    "role" TEXT NOT NULL,
    "made_by" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "console_link_pkey" PRIMARY KEY ("digest"),
    CONSTRAINT "console_link_role" CHECK (role IN ('viewer', CASE WHEN business_id IS NULL THEN 'operator' ELSE 'developer' END))
);
CREATE INDEX "console_link_expires_at_idx" ON "console_link"("expires_at");
ALTER TABLE "console_link" ADD CONSTRAINT "console_link_business_id_fkey" FOREIGN KEY ("business_id") REFERENCES "business"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

CREATE TABLE "console_session" (
    "id" UUID NOT NULL,
    "digest" TEXT NOT NULL,
    "business_id" UUID,
    "role" TEXT NOT NULL,
    "way" TEXT NOT NULL,
    "holder" TEXT NOT NULL,
    "credential" TEXT,
    "address" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "console_session_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "console_session_role" CHECK (role IN ('viewer', CASE WHEN business_id IS NULL THEN 'operator' ELSE 'developer' END)),
    CONSTRAINT "console_session_way" CHECK (way IN ('link', 'api_key', 'admin_token')),
    CONSTRAINT "console_session_credential" CHECK ((credential IS NOT NULL) = (way = 'admin_token'))
);
CREATE UNIQUE INDEX "console_session_digest_key" ON "console_session"("digest");
CREATE INDEX "console_session_business_id_expires_at_idx" ON "console_session"("business_id", "expires_at");
CREATE INDEX "console_session_expires_at_idx" ON "console_session"("expires_at");
ALTER TABLE "console_session" ADD CONSTRAINT "console_session_business_id_fkey" FOREIGN KEY ("business_id") REFERENCES "business"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What a business does in the console. What an operator does there is `http`, by the name of the token as ever.
ALTER TABLE "audit_entry" DROP CONSTRAINT "audit_entry_via",
  ADD CONSTRAINT "audit_entry_via" CHECK (via IN ('http', 'cli', 'system', 'api', 'console'));
