-- Transfers of tokens with a fee that brought nothing, by the balances of their block. They are no transactions. A block that
-- is read again when its state is gone says the same by them. The previous release writes and reads none.
CREATE TABLE "empty_transfer" (
    "chain_name" TEXT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "block_hash" TEXT NOT NULL,
    "identity" BYTEA NOT NULL,

    CONSTRAINT "empty_transfer_pkey" PRIMARY KEY ("chain_name", "block_number", "block_hash", "identity")
);
ALTER TABLE "empty_transfer" ADD CONSTRAINT "empty_transfer_chain_name_fkey" FOREIGN KEY ("chain_name") REFERENCES "chain"("name") ON DELETE RESTRICT ON UPDATE CASCADE;
