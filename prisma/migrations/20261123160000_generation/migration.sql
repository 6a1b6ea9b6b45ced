-- Which releases may work with this database: those that know its generation (decision 79).
ALTER TABLE "installation" ADD COLUMN "generation" SMALLINT;
UPDATE "installation" SET "generation" = 2;
ALTER TABLE "installation" ALTER COLUMN "generation" SET NOT NULL;
