-- A business is told when what a wallet holds of an asset falls below a threshold, and when it is restored (decision 136).
-- A threshold that has ended keeps its row where it was crossed: the ids of its notifications count on.
CREATE TABLE "threshold" (
    "wallet_id" UUID NOT NULL,
    "asset_id" INTEGER NOT NULL,
    "below" DECIMAL NOT NULL,
    "restored_from" DECIMAL NOT NULL,
    "is_below" BOOLEAN,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "crossings" INTEGER NOT NULL DEFAULT 0,
    "ended_at" TIMESTAMPTZ(3),
    CONSTRAINT "threshold_pkey" PRIMARY KEY ("wallet_id", "asset_id", "below"),
    CONSTRAINT "threshold_limits" CHECK (below > 0 AND restored_from >= below)
);
ALTER TABLE "threshold" ADD CONSTRAINT "threshold_wallet_id_fkey" FOREIGN KEY ("wallet_id") REFERENCES "wallet"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "threshold" ADD CONSTRAINT "threshold_asset_id_fkey" FOREIGN KEY ("asset_id") REFERENCES "asset"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- The wallet of a notification that is about no transaction; null: it is a test.
ALTER TABLE "notification"
  ADD COLUMN "wallet_id" UUID,
  ADD CONSTRAINT "notification_subject" CHECK ("transaction_id" IS NULL OR "wallet_id" IS NULL) NOT VALID,
  DROP CONSTRAINT "notification_state",
  ADD CONSTRAINT "notification_state" CHECK (state IN ('pending', 'confirmed', 'dropped', 'reversed', 'below', 'restored', 'test')) NOT VALID;
