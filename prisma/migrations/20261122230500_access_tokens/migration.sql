-- The access tokens that are valid, so that they can be listed and ended one by one. The token itself is nowhere; a row goes with its token.
CREATE TABLE "access_token" (
    "id" UUID NOT NULL,
    "api_key_id" UUID NOT NULL,
    "address" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "access_token_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "access_token_api_key_id_id_idx" ON "access_token"("api_key_id", "id");
CREATE INDEX "access_token_expires_at_idx" ON "access_token"("expires_at");
ALTER TABLE "access_token" ADD CONSTRAINT "access_token_api_key_id_fkey"
    FOREIGN KEY ("api_key_id") REFERENCES "api_key"("id") ON DELETE CASCADE ON UPDATE CASCADE;
