-- How each endpoint answered, once a minute, for the operator's charts: what its watcher last said of it. `failures`
-- counts on from the start of that watcher. A week of it is kept.
CREATE TABLE "endpoint_sample" (
    "chain_name" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "name" TEXT NOT NULL,
    "latency_ms" INTEGER,
    "failures" INTEGER NOT NULL,

    CONSTRAINT "endpoint_sample_pkey" PRIMARY KEY ("chain_name", "at", "name")
);
ALTER TABLE "endpoint_sample" ADD CONSTRAINT "endpoint_sample_chain_name_fkey" FOREIGN KEY ("chain_name") REFERENCES "chain"("name") ON DELETE RESTRICT ON UPDATE CASCADE;

-- How many deliveries waited, once a minute. A week of it is kept.
CREATE TABLE "outbox_sample" (
    "at" TIMESTAMPTZ(3) NOT NULL,
    "waiting" INTEGER NOT NULL,
    "held" INTEGER NOT NULL,

    CONSTRAINT "outbox_sample_pkey" PRIMARY KEY ("at")
);
