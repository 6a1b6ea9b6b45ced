-- The API key behind a link that a session of a business made, and behind each session that began with such a link or
-- with the key itself. They end with that key.
ALTER TABLE "console_link" ADD COLUMN "key_id" UUID;
ALTER TABLE "console_link" ADD CONSTRAINT "console_link_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "api_key"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "console_session" ADD COLUMN "key_id" UUID;
UPDATE "console_session" SET key_id = holder::uuid WHERE way = 'api_key';
ALTER TABLE "console_session" ADD CONSTRAINT "console_session_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "api_key"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
