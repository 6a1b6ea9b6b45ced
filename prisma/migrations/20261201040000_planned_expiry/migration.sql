-- The end that a key was made with. A rotation sets expires_at to the end of the overlap, and a second rotation of that key
-- took the time until then for the lifetime that its replacement gets.
ALTER TABLE "api_key" ADD COLUMN "planned_expires_at" TIMESTAMPTZ(3);
UPDATE "api_key" SET "planned_expires_at" = "expires_at";
