-- The place of a notification in the ledger, in the numbers of delivery.seq. Its deliveries have the same, but for those
-- that somebody asks for later. A webhook that was not given a notification has no other delivery that says its place, and
-- the line of a wallet goes by it (decision 107).
ALTER TABLE "notification" ADD COLUMN "seq" BIGINT;
