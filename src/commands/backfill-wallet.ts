import { isId } from "../domain/id.ts";
import { notFound } from "../domain/not-found.ts";
import { invalidField } from "../domain/text.ts";

type Ledger = {
  requestHistory: (asked: {
    walletId: string;
    fromNumber: bigint;
  }) => Promise<{ walletId: string; fromNumber: bigint }>;
};

export const fromBlockRule = "expected a block number";

/**
 * Asks for a wallet's history from a block on; it is filled in behind the head, and neither moves a balance nor notifies.
 * Safe to repeat. @throws Fault `wallet_not_found`, `invalid_request`
 */
export async function backfillWallet(
  ledger: Ledger,
  input: { walletId: string; fromBlock: number },
): Promise<{ wallet_id: string; from_block: number }> {
  const { walletId, fromBlock } = input;
  if (!isId(walletId)) throw notFound("wallet_not_found");
  if (!isBlockNumber(fromBlock)) throw invalidField("from_block", fromBlockRule);
  const asked = await ledger.requestHistory({ walletId, fromNumber: BigInt(fromBlock) });
  return { wallet_id: asked.walletId, from_block: Number(asked.fromNumber) };
}

export function isBlockNumber(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
