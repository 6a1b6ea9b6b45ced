-- What a payment on Tempo has with it: the payer's memo (TIP-20), and the virtual address that was paid (TIP-1022).
ALTER TABLE "transaction" ADD COLUMN "memo" TEXT;
ALTER TABLE "transaction" ADD COLUMN "virtual_address" TEXT;
