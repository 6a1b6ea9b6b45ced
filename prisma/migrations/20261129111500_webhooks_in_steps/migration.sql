-- What waits for a webhook is cancelled in steps when the webhook is deleted, and joins or leaves lines in steps when its
-- order is changed. A webhook that leaves deliveries waiting cancels them, or gives them to another one.
ALTER TABLE webhook
  ADD COLUMN cancels_waiting boolean NOT NULL DEFAULT false,
  ADD COLUMN arranges_lines boolean NOT NULL DEFAULT false;
CREATE INDEX webhook_arranges_lines_idx ON webhook (id) WHERE arranges_lines;
