-- How a chain is being read, as the process that watches it last said. A table of its own, so that saying it never
-- waits for the chain's row, which every block commit locks.
CREATE TABLE "chain_reading" (
  "chain_name" TEXT NOT NULL,
  "reading" JSONB NOT NULL,
  "told_at" TIMESTAMPTZ(3) NOT NULL,

  CONSTRAINT "chain_reading_pkey" PRIMARY KEY ("chain_name")
);

ALTER TABLE "chain_reading" ADD CONSTRAINT "chain_reading_chain_name_fkey"
  FOREIGN KEY ("chain_name") REFERENCES "chain"("name") ON DELETE RESTRICT ON UPDATE CASCADE;
