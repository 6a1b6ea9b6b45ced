import { arrayLiteral } from "../postgres/array-literal.ts";
import type { Statements } from "../postgres/statements.ts";

/**
 * Seals what transactions of a chain say now beside their last entry. Those without an entry are
 * sealed with their first one. The caller holds the chain's lock.
 */
export async function sealFacts(
  tx: Statements,
  chainName: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await tx.$queryRaw`SELECT ledger_seal_again(${chainName}, ${arrayLiteral(ids)}::uuid[])::text`;
}
