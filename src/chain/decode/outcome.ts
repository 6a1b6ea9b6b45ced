import type { RpcBlock, RpcReceipt, RpcTransaction } from "../rpc/rpc-block.ts";

/** What a transfer of the coin to an account without code costs. */
const plainTransferGas = 21_000n;

/**
 * The receipts with what became of each transaction. Those of before Byzantium (EIP-658) did not say: a transaction that
 * failed then had used all its gas, and hardly any other had, but a plain transfer with just the gas it needs.
 */
export function withOutcomes(
  { transactions }: Pick<RpcBlock, "transactions">,
  receipts: readonly RpcReceipt[],
): RpcReceipt[] {
  return receipts.map((receipt, index) => {
    const transaction = transactions[index];
    if (receipt.isSuccess !== null || transaction === undefined) return receipt;
    return { ...receipt, isSuccess: hasSucceeded(transaction, receipt) };
  });
}

function hasSucceeded({ gas, raw }: RpcTransaction, { gasUsed }: RpcReceipt): boolean {
  return gasUsed < gas || (gasUsed === plainTransferGas && raw["input"] === "0x");
}
