-- How many hosts said a price, and what the word of one host is held against. A price without that is of an older
-- release: the next word of two hosts, or of the only one, replaces it.
ALTER TABLE "price" ADD COLUMN "proof" TEXT,
  ADD COLUMN "anchor_usd" DECIMAL,
  ADD COLUMN "anchor_as_of" TIMESTAMPTZ(3),
  ADD COLUMN "anchor_proof" TEXT,
  ADD COLUMN "anchor_origin" TEXT;
ALTER TABLE "price"
  ADD CONSTRAINT "price_proof" CHECK (proof IN ('agreed', 'answered')),
  ADD CONSTRAINT "price_anchor" CHECK (num_nulls(anchor_usd, anchor_as_of, anchor_proof, anchor_origin) IN (0, 4)),
  ADD CONSTRAINT "price_anchor_positive" CHECK (anchor_usd > 0),
  ADD CONSTRAINT "price_anchor_proof" CHECK (anchor_proof IN ('agreed', 'answered'));
