-- A reorganisation takes back the openings that were read above the common ancestor. It finds them by the position of
-- their change, while it holds the lock of its chain. Without these indexes it reads every change and every balance.
CREATE INDEX "watch_change_chain_name_position_number_idx" ON "watch_change"("chain_name", "position_number");
CREATE INDEX "balance_since_change_id_idx" ON "balance"("since_change_id");
