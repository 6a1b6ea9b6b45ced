-- Since when a chain is stopped. Null while it runs, and of a stop that the previous release recorded.
ALTER TABLE chain ADD COLUMN stopped_at TIMESTAMPTZ(3);
