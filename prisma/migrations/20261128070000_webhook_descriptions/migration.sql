-- A business says in its own words what a webhook is for.
ALTER TABLE "webhook" ADD COLUMN "description" TEXT;
