-- What shows that a transaction happened. Null of a correction, and of what was recorded before.
ALTER TABLE transaction ADD COLUMN proof TEXT;
-- Old rows have none and need no look: so the table is not read while it is locked.
ALTER TABLE transaction
  ADD CONSTRAINT transaction_proof CHECK (proof IN ('root', 'bloom', 'agreed', 'answered')) NOT VALID;
