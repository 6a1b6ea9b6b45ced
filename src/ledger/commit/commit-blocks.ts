import { isSameBlock } from "../../domain/chain/block.ts";
import { lastOf } from "../../domain/last-of.ts";
import type { BlocksCommit, CommitOutcome } from "../../domain/watch/commit.ts";
import { isSettlementDue, lockChain } from "../chain/chain-state.ts";
import { raisedTo } from "../chain/confirmed-height.ts";
import type { Database } from "../postgres/database.ts";
import { inTransactionByIndex } from "../postgres/transaction.ts";
import { readKnown } from "../transactions/known-transactions.ts";
import { readDifference } from "../watchlist/read-watchlist.ts";
import { followRewound, forgetRewound } from "./rewound-blocks.ts";
import { storeBlocks } from "./store-blocks.ts";
import { writeBlocks } from "./write-blocks.ts";

/**
 * Writes consecutive blocks, and moves the position to the last of them. One transaction writes
 * everything (docs/invariants.md#i1): transactions, balances, confirmations, the settlement of a
 * reorg, notifications and their deliveries. Several blocks leave the same ledger as one after
 * another. Only transactions that are confirmed at once are written as confirmed.
 *
 * It locks the chain's row first, so that only one watcher's commit wins (docs/invariants.md#i5). A
 * wallet added or removed in the meantime is matched in this same commit, or no block is committed
 * (docs/invariants.md#i4).
 */
export async function commitBlocks(db: Database, commit: BlocksCommit): Promise<CommitOutcome> {
  const { kind, chainName, parent, headers, headNumber, watched, match } = commit;
  const header = lastOf(headers);
  const expected = match(null);
  return inTransactionByIndex(db, async (tx) => {
    const [state, known] = await Promise.all([
      lockChain(tx, chainName),
      // Sent with the lock and run after it. If the watchlist has changed, this is read again.
      readKnown(tx.$lockRaw, expected?.flatMap(({ matched }) => matched) ?? []),
    ]);
    const { position, settleNumber } = state;
    const isParent = isSameBlock(position, parent);
    // A reorg is replayed block by block.
    const mayWrite = kind === "newest" || settleNumber === null;
    if (!isParent || !mayWrite) return { kind: "position_moved" };

    // The list must not learn of changes that are not committed yet. So the blocks are read again.
    if (settleNumber !== null && (await followRewound(tx, chainName, headers)))
      return { kind: "watch_changed" };
    const isSame = state.watchVersion === watched.version && state.changeId === watched.changeId;
    const difference = isSame ? null : await readDifference(tx, chainName, watched);
    if (!isSame && difference === null) return { kind: "watch_lost" };
    const blocks = isSame ? expected : match(difference);
    if (blocks === null) return { kind: "watch_changed" };
    const isSettled = commit.isSettled && isSettlementDue(state, header.number);
    const confirmTo = await raisedTo(tx, state, commit.confirmedNumber, header.number);
    const written = await writeBlocks(tx, {
      chain: state,
      blocks,
      confirmTo,
      aloneAbove: commit.isAgreed ? null : (state.confirmedNumber ?? -1n),
      notifiesPending: kind === "newest",
      settles: isSettled ? header : null,
      known: isSame ? known : undefined,
    });
    const confirmedNumber = confirmTo ?? state.confirmedNumber;
    const confirmed = { from: state.confirmedNumber, to: confirmedNumber };
    const isReplaying = settleNumber !== null && !isSettled;
    const keeps = isReplaying ? "all" : kind === "range" ? "openings" : "nothing";
    storeBlocks(tx, { chainName, headers, headNumber, confirmed, isSettled, keeps });
    if (settleNumber !== null) forgetRewound(tx, chainName, header.number);
    return { kind: "committed", confirmedNumber, ...written };
  });
}
