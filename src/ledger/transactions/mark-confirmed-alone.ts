import type { Statements } from "../postgres/statements.ts";
import { sealFacts } from "./seal-facts.ts";
import { onChainStatuses } from "./transaction-words.ts";

/**
 * Marks transactions above one height and up to another as confirmed by the word of one endpoint.
 * The others of its chain had been silent for longer than they are waited for. A transaction there
 * that still waits for its balance is marked too.
 */
export async function markConfirmedAlone(
  tx: Statements,
  range: { chainName: string; above: bigint; upTo: bigint },
): Promise<void> {
  const { chainName, above, upTo } = range;
  const marked = await tx.$queryRaw<{ id: string }[]>`
    UPDATE transaction SET confirmed_alone = true
    WHERE chain_name = ${chainName} AND block_number > ${above} AND block_number <= ${upTo}
      AND status IN (${onChainStatuses}) AND NOT is_history AND NOT confirmed_alone
    RETURNING id`;
  await sealFacts(
    tx,
    chainName,
    marked.map(({ id }) => id),
  );
}
