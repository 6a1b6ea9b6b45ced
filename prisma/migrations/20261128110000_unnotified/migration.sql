-- Nobody was notified of the transaction, because its asset was left out of the configuration. When the asset comes back,
-- these are found by the index, whatever else there is. Null is no, and no default: no row is written anew, nor longer.
ALTER TABLE "transaction" ADD COLUMN "unnotified" BOOLEAN;

-- Of assets that are left out now. An earlier release went by the time: what is marked here too many has its notification
-- already, and gets no other one.
UPDATE "transaction" t SET unnotified = true
FROM "asset" a
WHERE a.id = t.asset_id AND a.left_at IS NOT NULL AND NOT t.is_history AND t.status IN ('pending', 'completed')
  AND COALESCE(t.completed_at, t.created_at) >= a.left_at - interval '2 minutes';

CREATE INDEX "transaction_unnotified_idx" ON "transaction"("asset_id") WHERE unnotified;
