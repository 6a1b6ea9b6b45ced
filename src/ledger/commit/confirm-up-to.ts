import type { Confirmation, ConfirmOutcome } from "../../domain/watch/commit.ts";
import type { ThresholdEntries } from "../balances/move-balances.ts";
import { isSettlementDue, lockChain } from "../chain/chain-state.ts";
import { raisedTo } from "../chain/confirmed-height.ts";
import { cutoffsSql } from "../chain/cutoffs.ts";
import { notifyCrossings } from "../notifications/notify-crossings.ts";
import type { Database } from "../postgres/database.ts";
import { inTransaction } from "../postgres/transaction.ts";
import { keepUnsearched, nothingSettled, settleReorg, together } from "./settle-reorg.ts";
import { confirmWritten } from "./write-blocks.ts";

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
  return inTransaction(db, async (tx) => {
    const state = await lockChain(tx, chainName);
    if (state.position?.number !== position.number || state.position.hash !== position.hash)
      return { kind: "position_moved" };
    const confirmTo = await raisedTo(tx, state, upTo, position.number);
    const settles = confirmation.isSettled && isSettlementDue(state, position.number);
    const touched: ThresholdEntries = [];
    if (settles) await keepUnsearched(tx, chainName, position, touched);
    const settled = settles ? await settleReorg(tx, chainName, touched) : nothingSettled;
    if (settles)
      await tx.$executeRaw`UPDATE chain SET settle_number = NULL WHERE name = ${chainName}`;
    if (confirmTo === null) {
      const { notified } = await notifyCrossings(tx, chainName, touched);
      const all = { ...settled, notified: settled.notified + notified };
      return { kind: "promoted", confirmed: 0, confirmedIds: [], ...all };
    }
    const aloneAbove = confirmation.isAgreed ? null : (state.confirmedNumber ?? -1n);
    const { confirmedIds, ...taken } = await confirmWritten(tx, state, {
      confirmTo,
      aloneAbove,
      touched,
    });
    const raised = { chainName, from: state.confirmedNumber, to: confirmTo, added: [] };
    await tx.$executeRaw`
      WITH ${cutoffsSql(raised)}
      UPDATE chain SET confirmed_number = ${confirmTo} WHERE name = ${chainName}`;
    const confirmed = confirmedIds.length;
    return { kind: "promoted", ...together(settled, taken), confirmed, confirmedIds };
  });
}
