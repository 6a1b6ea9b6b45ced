import { Fault } from "../domain/fault.ts";
import { isPlainText } from "../domain/text.ts";

export type ResetOutcome = { dropped: number; reversed: number; notified: number };

type Ledger = { resetChain: (chainName: string) => Promise<ResetOutcome> };

/**
 * Forgets a chain and begins it anew with whatever chain answers next; what was on it becomes dropped or reversed.
 * @throws Fault `chain_not_found`
 */
export async function resetChain(
  ledger: Ledger,
  name: string,
): Promise<{ name: string } & ResetOutcome> {
  if (!isPlainText(name)) throw new Fault("chain_not_found", "There is no chain of that name.");
  return { name, ...(await ledger.resetChain(name)) };
}
