import { Fault } from "../domain/fault.ts";
import { invalidField, isPlainText } from "../domain/text.ts";
import { fromBlockRule, isBlockNumber } from "./backfill-wallet.ts";

type Ledger = {
  rewindChain: (rewind: {
    chainName: string;
    toNumber: bigint;
  }) => Promise<{ from: bigint; to: bigint }>;
};

/**
 * Reads the blocks above a block once more. What is found again notifies nobody. Safe to repeat.
 * @throws Fault `chain_not_found`, `invalid_request`
 */
export async function rewindChain(
  ledger: Ledger,
  input: { name: string; toBlock: number },
): Promise<{ name: string; from: number; to: number }> {
  const { name, toBlock } = input;
  if (!isPlainText(name)) throw new Fault("chain_not_found", "There is no chain of that name.");
  if (!isBlockNumber(toBlock)) throw invalidField("to_block", fromBlockRule);
  const { from, to } = await ledger.rewindChain({ chainName: name, toNumber: BigInt(toBlock) });
  return { name, from: Number(from), to: Number(to) };
}
