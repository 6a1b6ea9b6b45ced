-- Blocks that a rewind took away, until the chain has a block of their height again. The previous release writes and reads none.
CREATE TABLE "rewound_block" (
    "chain_name" TEXT NOT NULL,
    "number" BIGINT NOT NULL,
    "hash" TEXT NOT NULL,

    CONSTRAINT "rewound_block_pkey" PRIMARY KEY ("chain_name", "number")
);
ALTER TABLE "rewound_block" ADD CONSTRAINT "rewound_block_chain_name_fkey" FOREIGN KEY ("chain_name") REFERENCES "chain"("name") ON DELETE RESTRICT ON UPDATE CASCADE;
