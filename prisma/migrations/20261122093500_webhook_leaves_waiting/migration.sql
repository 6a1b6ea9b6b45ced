-- What waits for a webhook that is replaced is given to the one in its place some at a time.
ALTER TABLE webhook ADD COLUMN leaves_waiting boolean NOT NULL DEFAULT false;
CREATE INDEX webhook_leaves_waiting_idx ON webhook (id) WHERE leaves_waiting;
