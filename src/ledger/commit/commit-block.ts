import { type BlockHeader, checkpointBlocks } from "../../domain/chain/block.ts";
import type { BlockCommit, CommitOutcome } from "../../domain/watch/commit.ts";
import { rowsOf } from "../chain/block-rows.ts";
import { isSettlementDue, lockChain, toBlockRow } from "../chain/chain-state.ts";
import { raisedTo } from "../chain/confirmed-height.ts";
import { cutoffsSql } from "../chain/cutoffs.ts";
import type { Database } from "../postgres/database.ts";
import type { TxStatements } from "../postgres/statements.ts";
import { inTransaction } from "../postgres/transaction.ts";
import { readKnown } from "../transactions/known-transactions.ts";
import { readDifference } from "../watchlist/read-watchlist.ts";
import { writeBlocks } from "./write-blocks.ts";

/**
 * Keeps this many headers below the position, and all headers that are not confirmed. A deeper
 * reorg stops the chain. No node known to us reorganises so deep.
 */
export const windowBlocks = 512n;

/**
 * Also keeps headers as old as this, in ms. Where blocks come fast, 512 of them are a short time.
 */
export const windowMs = 30 * 60_000;

/**
 * Writes one block, or several that arrived together, and moves the position to the last of them.
 * One transaction writes everything (docs/invariants.md#i1): transactions, balances, confirmations,
 * the settlement of a reorg, notifications and their deliveries.
 *
 * It locks the chain's row first, so that only one watcher's commit wins (docs/invariants.md#i5). A
 * wallet added or removed in the meantime is matched in this same commit (docs/invariants.md#i4).
 */
export async function commitBlock(db: Database, commit: BlockCommit): Promise<CommitOutcome> {
  const { chainName, parent, headers, headNumber, watchVersion, match } = commit;
  const header = headers.at(-1) ?? headers[0];
  const expected = match(null);
  return inTransaction(db, async (tx) => {
    const [state, known] = await Promise.all([
      lockChain(tx, chainName),
      // Sent with the lock and run after it. If the watchlist has changed, this is read again.
      readKnown(tx.$lockRaw, expected?.flatMap(({ matched }) => matched) ?? []),
    ]);
    if (state.position?.number !== parent.number || state.position.hash !== parent.hash)
      return { kind: "position_moved" };

    const isSame = state.watchVersion === watchVersion;
    const blocks = isSame ? expected : match(await readDifference(tx, chainName, watchVersion));
    if (blocks === null) return { kind: "watch_changed" };
    const isSettled = commit.isSettled && isSettlementDue(state, header.number);
    const confirmTo = await raisedTo(tx, state, commit.confirmedNumber, header.number);
    const written = await writeBlocks(tx, {
      chain: state,
      blocks,
      confirmTo,
      aloneAbove: commit.isAgreed ? null : (state.confirmedNumber ?? -1n),
      notifiesPending: true,
      settles: isSettled ? header : null,
      known: isSame ? known : undefined,
    });
    const oldest = header.number - windowBlocks;
    const unconfirmed = state.confirmedNumber ?? oldest;
    const keptFrom = unconfirmed < oldest ? unconfirmed : oldest;
    const confirmedNumber = confirmTo ?? state.confirmedNumber;
    storeBlocks(tx, {
      chainName,
      headers,
      header,
      headNumber,
      confirmedBefore: state.confirmedNumber,
      confirmedNumber,
      keptFrom,
      isSettled,
    });
    return { kind: "committed", confirmedNumber, ...written };
  });
}

/**
 * Stores the position, the new blocks, the confirmed height with its cutoffs, and the end of the
 * window. One statement does all, since each statement costs a round trip.
 */
function storeBlocks(
  tx: TxStatements,
  to: {
    chainName: string;
    headers: readonly BlockHeader[];
    /** The header of the last block. */
    header: BlockHeader;
    headNumber: bigint;
    confirmedBefore: bigint | null;
    confirmedNumber: bigint | null;
    keptFrom: bigint;
    isSettled: boolean;
  },
): void {
  const { chainName, headers, header, headNumber, confirmedNumber, keptFrom, isSettled } = to;
  const raised = { chainName, from: to.confirmedBefore, to: confirmedNumber, added: headers };
  const { number, hash, time } = toBlockRow(chainName, header);
  const keptSince = new Date(header.timeMs - windowMs);
  tx.$sendRaw`
    WITH stored AS (
      INSERT INTO block (chain_name, number, hash, parent_hash, time) ${rowsOf(chainName, headers)}
    ), forgotten AS (
      DELETE FROM block WHERE chain_name = ${chainName} AND number < ${keptFrom} AND time < ${keptSince}
      RETURNING number AS height, hash AS gone
    ), checkpoints AS (
      INSERT INTO checkpoint (chain_name, number, hash)
      SELECT ${chainName}, height, gone FROM forgotten WHERE height % ${checkpointBlocks} = 0
      ON CONFLICT DO NOTHING
    ), ${cutoffsSql(raised)}
    UPDATE chain SET position_number = ${number}, position_hash = ${hash}, position_time = ${time},
      head_number = GREATEST(${headNumber}::bigint, ${number}), confirmed_number = ${confirmedNumber},
      settle_number = CASE WHEN ${isSettled} THEN NULL ELSE settle_number END
    WHERE name = ${chainName}`;
}
