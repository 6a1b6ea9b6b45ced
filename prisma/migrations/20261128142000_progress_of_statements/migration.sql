-- How far a statement is that is being made: "entries" of so many, and when that was last said. A process that has ended says
-- nothing any more. Null: it was made before this was kept.
ALTER TABLE "account_statement" ADD COLUMN "entries_expected" INTEGER, ADD COLUMN "progress_at" TIMESTAMPTZ(3);
