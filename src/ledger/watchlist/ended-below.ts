import { arrayLiteral } from "../postgres/array-literal.ts";
import type { Statements } from "../postgres/statements.ts";

/**
 * The wallets among these that ended below a block. A block that is read again has nothing of
 * theirs. A reorg may have lowered their end since the reading was decided on. The block may be
 * another wallet's. The caller holds the chain's lock.
 */
export async function findEndedBelow(
  tx: Statements,
  walletIds: readonly string[],
  number: bigint,
): Promise<ReadonlySet<string>> {
  const ended = await tx.$queryRaw<{ id: string }[]>`
    SELECT w.id FROM wallet w JOIN watch_change c ON c.id = w.removed_change_id
    WHERE w.id = ANY(${arrayLiteral(walletIds)}::uuid[]) AND c.position_number < ${number}`;
  return new Set(ended.map(({ id }) => id));
}
