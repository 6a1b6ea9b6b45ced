-- A commit that moves a balance asks for its thresholds. However many of them have ended, it reads those in force alone.
CREATE INDEX "threshold_in_force_idx" ON "threshold"("wallet_id", "asset_id") WHERE (ended_at IS NULL);
