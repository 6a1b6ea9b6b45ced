-- A webhook may ask to be notified of transfers of tokens that are not configured (docs/contract.md#unlisted-tokens).
ALTER TABLE "notification"
  DROP CONSTRAINT "notification_state",
  ADD CONSTRAINT "notification_state" CHECK (state IN ('pending', 'confirmed', 'dropped', 'reversed', 'below', 'restored', 'sighted', 'test')) NOT VALID;
