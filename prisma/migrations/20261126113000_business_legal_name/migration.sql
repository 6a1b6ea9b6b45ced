-- What stands in the head of a business's statements.
ALTER TABLE "business" ADD COLUMN "legal_name" TEXT, ADD COLUMN "address" TEXT;
