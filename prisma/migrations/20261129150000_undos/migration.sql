-- Counts the times that blocks of a chain were undone. A comparison of balances that takes several steps ends only if none
-- was undone on the way. The previous release neither reads nor writes it.
ALTER TABLE "chain" ADD COLUMN "undos" INTEGER NOT NULL DEFAULT 0;
