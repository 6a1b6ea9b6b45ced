import type { RpcBlock, RpcReceipt, RpcTransaction } from "../rpc/rpc-block.ts";

/** Gas of a transfer of the coin to an account without code. */
const plainTransferGas = 21_000n;

/**
 * Adds the outcome to receipts from before Byzantium (EIP-658), which do not have it. A transaction
 * that failed then had used all its gas, and has no logs. Hardly any successful one had used all,
 * except a plain transfer with exactly the gas it needs.
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

function hasSucceeded({ gas, raw }: RpcTransaction, { gasUsed, logs }: RpcReceipt): boolean {
  const isPlain = gasUsed === plainTransferGas && raw["input"] === "0x";
  return gasUsed < gas || logs.length > 0 || isPlain;
}
