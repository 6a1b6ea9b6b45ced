-- Every 512th confirmed hash, for ever: an old block is followed by its parents' hashes to one of them.
CREATE TABLE "checkpoint" (
    "chain_name" TEXT NOT NULL,
    "number" BIGINT NOT NULL,
    "hash" TEXT NOT NULL,

    CONSTRAINT "checkpoint_pkey" PRIMARY KEY ("chain_name","number")
);
ALTER TABLE "checkpoint" ADD CONSTRAINT "checkpoint_chain_name_fkey" FOREIGN KEY ("chain_name") REFERENCES "chain"("name") ON DELETE RESTRICT ON UPDATE CASCADE;

-- A difference lies above this height. An open one no longer keeps the height up to which all others agree.
ALTER TABLE "discrepancy" ADD COLUMN "since_number" BIGINT;
