import type { Confirmation, ConfirmOutcome } from "../../domain/watch/commit.ts";
import { lockChain } from "../chain/chain-state.ts";
import { raisedTo } from "../chain/confirmed-height.ts";
import type { Database } from "../postgres/database.ts";
import { inStatements } from "../postgres/statements.ts";
import { confirmWritten } from "./write-blocks.ts";

/**
 * Confirms everything up to a height although no block was added: a tag has moved, or a second endpoint has caught up.
 * One transaction, only while the position is still the one it was decided for. Safe to repeat.
 */
export async function confirmUpTo(
  db: Database,
  confirmation: Confirmation,
): Promise<ConfirmOutcome> {
  const { chainName, position, upTo } = confirmation;
  return inStatements(db, async (tx) => {
    const state = await lockChain(tx, chainName);
    if (state.position?.number !== position.number || state.position.hash !== position.hash)
      return { kind: "position_moved" };
    const confirmTo = raisedTo(state, upTo, position.number);
    if (confirmTo === null) return { kind: "promoted", confirmed: 0, notified: 0 };
    await tx.$executeRaw`UPDATE chain SET confirmed_number = ${confirmTo} WHERE name = ${chainName}`;
    return { kind: "promoted", ...(await confirmWritten(tx, chainName, confirmTo)) };
  });
}
