import type { FoundBlock, FoundOutcome } from "../../domain/watch/commit.ts";
import { lockChain } from "../chain/chain-state.ts";
import { hasLeftChain } from "../chain/has-left-chain.ts";
import type { Database } from "../postgres/database.ts";
import { inTransaction } from "../postgres/transaction.ts";
import { findUnwatched } from "../watchlist/find-unwatched.ts";
import { writeBlocks } from "./write-blocks.ts";

/**
 * Writes transactions that a confirmed block was found to hold when it was read again
 * (docs/invariants.md#i10). A known transaction stays unchanged. A missing one is added as
 * confirmed, and notified at once. One of a balance that is not watched in the block is left out
 * (see findUnwatched). Safe to repeat.
 */
export async function recordFound(db: Database, found: FoundBlock): Promise<FoundOutcome> {
  const { chainName, header, matched } = found;
  return inTransaction(db, async (tx) => {
    const chain = await lockChain(tx, chainName);
    const { confirmedNumber, settleNumber } = chain;
    if (settleNumber !== null || confirmedNumber === null || confirmedNumber < header.number)
      return { kind: "moved" };
    if (await hasLeftChain(tx, chainName, header)) return { kind: "moved" };
    const unwatched = await findUnwatched(tx, matched, header.number);
    const watched = matched.filter((one) => unwatched(one) === null);
    const { confirmed, notified } = await writeBlocks(tx, {
      chain,
      blocks: [{ header, matched: watched }],
      confirmTo: confirmedNumber,
      aloneAbove: null,
      notifiesPending: true,
      settles: null,
    });
    return { kind: "recorded", confirmed, notified };
  });
}
