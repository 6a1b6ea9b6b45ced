import { isSameBlock } from "../../domain/chain/block.ts";
import type { Confirmation, ConfirmOutcome } from "../../domain/watch/commit.ts";
import { isSettlementDue, lockChain } from "../chain/chain-state.ts";
import { raisedTo } from "../chain/confirmed-height.ts";
import { cutoffsSql } from "../chain/cutoffs.ts";
import type { Database } from "../postgres/database.ts";
import { inTransactionByIndex } from "../postgres/transaction.ts";
import { writeBlocks } from "./write-blocks.ts";

/**
 * Confirms everything up to a height without a new block, because a tag moved or another endpoint
 * caught up. If very many transactions wait, it confirms the oldest of them (see raisedTo). Also
 * settles a reorg if that endpoint now agrees with its branch. One transaction. Does nothing if the
 * position is not the one of the decision any more. Safe to repeat.
 */
export async function confirmUpTo(
  db: Database,
  confirmation: Confirmation,
): Promise<ConfirmOutcome> {
  const { chainName, position, upTo } = confirmation;
  return inTransactionByIndex(db, async (tx) => {
    const state = await lockChain(tx, chainName);
    if (!isSameBlock(state.position, position)) return { kind: "position_moved" };
    const confirmTo = await raisedTo(tx, state, upTo, position.number);
    const settles = confirmation.isSettled && isSettlementDue(state, position.number);
    const { ids, dropped, reversed, notified } = await writeBlocks(tx, {
      chain: state,
      blocks: [],
      confirmTo,
      aloneAbove: confirmation.isAgreed ? null : (state.confirmedNumber ?? -1n),
      notifiesPending: false,
      settles: settles ? position : null,
    });
    const raised = { chainName, from: state.confirmedNumber, to: confirmTo, added: [] };
    await tx.$executeRaw`
      WITH ${cutoffsSql(raised)}
      UPDATE chain SET confirmed_number = COALESCE(${confirmTo}::bigint, confirmed_number),
        settle_number = CASE WHEN ${settles} THEN NULL ELSE settle_number END
      WHERE name = ${chainName}`;
    const { confirmed: confirmedIds } = ids;
    const confirmed = confirmedIds.length;
    return { kind: "promoted", confirmed, confirmedIds, dropped, reversed, notified };
  });
}
