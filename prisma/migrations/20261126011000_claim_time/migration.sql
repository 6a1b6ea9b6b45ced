-- The slowest claim of due deliveries since a relay's report before, in ms; null in other leases.
ALTER TABLE "lease" ADD COLUMN "claim_ms" INTEGER;
