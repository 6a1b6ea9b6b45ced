import type { Statements } from "../postgres/statements.ts";
import { sealFacts } from "./seal-facts.ts";
import { onChainStatuses } from "./transaction-words.ts";

/**
 * Marks the transactions above one height and up to another as confirmed by one endpoint alone. The
 * chain's other endpoints did not answer within the time that is allowed. Transactions that still
 * wait for their proof are marked too.
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
