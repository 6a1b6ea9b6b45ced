import { arrayLiteral } from "../postgres/array-literal.ts";
import type { Statements } from "../postgres/statements.ts";

/**
 * Seals the present facts of a chain's transactions with their last entry. A transaction without an
 * entry is skipped, because its first entry will seal it. The caller holds the chain's lock.
 */
export async function sealFacts(
  tx: Statements,
  chainName: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await tx.$queryRaw`SELECT ledger_seal_again(${chainName}, ${arrayLiteral(ids)}::uuid[])::text`;
}
