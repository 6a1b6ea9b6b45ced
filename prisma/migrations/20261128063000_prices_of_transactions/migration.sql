-- Which price a transaction was worth, and when that price was read: a statement says both. No default, so no row is
-- written anew. Of rows that are there it is unknown.
ALTER TABLE "transaction" ADD COLUMN "price_source" TEXT;
ALTER TABLE "transaction" ADD COLUMN "price_as_of" TIMESTAMPTZ(3);
-- When a reorg put it into another block. Entries of before then were of a block whose hash and time it no longer has, also
-- where the new block has the same number.
ALTER TABLE "transaction" ADD COLUMN "moved_at" TIMESTAMPTZ(3);
