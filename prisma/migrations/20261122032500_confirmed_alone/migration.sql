-- Confirmed although the other endpoints of its chain had said nothing for longer than they are waited for.
ALTER TABLE "transaction" ADD COLUMN "confirmed_alone" BOOLEAN NOT NULL DEFAULT false;
