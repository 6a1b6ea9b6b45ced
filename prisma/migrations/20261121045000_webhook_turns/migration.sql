-- No query reads this index: the relay finds webhooks by what waits for them. With it every claim wrote new entries into
-- all of the table's indexes. Without it, and with room beside a row, a claim rewrites the row in its page.
DROP INDEX "webhook_ringing_idx";
ALTER TABLE "webhook" SET (fillfactor = 50);
