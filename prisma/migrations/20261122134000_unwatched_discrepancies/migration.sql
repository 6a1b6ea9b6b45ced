-- A discrepancy also ends where its wallet or asset is watched no more: it is not compared again.
ALTER TABLE "reconciliation_record" DROP CONSTRAINT "discrepancy_resolution",
  ADD CONSTRAINT "discrepancy_resolution" CHECK (resolution IN ('agreed', 'reset', 'unwatched'));
