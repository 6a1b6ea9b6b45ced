-- The last confirmed block of each quarter of an hour, and the seal of the journal that went with it: what a statement rests on.
CREATE TABLE "cutoff" (
    "chain_name" TEXT NOT NULL,
    "number" BIGINT NOT NULL,
    "hash" TEXT NOT NULL,
    "time" TIMESTAMPTZ(3) NOT NULL,
    "next_time" TIMESTAMPTZ(3) NOT NULL,
    "seal" BIGINT NOT NULL,

    CONSTRAINT "cutoff_pkey" PRIMARY KEY ("chain_name","time","hash")
);
ALTER TABLE "cutoff" ADD CONSTRAINT "cutoff_chain_name_fkey" FOREIGN KEY ("chain_name") REFERENCES "chain"("name") ON DELETE RESTRICT ON UPDATE CASCADE;
