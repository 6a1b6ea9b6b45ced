-- How far each chain was behind, the most of each minute: for the operator's chart. A week of it is kept.
CREATE TABLE "chain_lag" (
    "chain_name" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "seconds" INTEGER NOT NULL,

    CONSTRAINT "chain_lag_pkey" PRIMARY KEY ("chain_name", "at")
);
ALTER TABLE "chain_lag" ADD CONSTRAINT "chain_lag_chain_name_fkey" FOREIGN KEY ("chain_name") REFERENCES "chain"("name") ON DELETE RESTRICT ON UPDATE CASCADE;
