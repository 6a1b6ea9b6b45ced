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
 * Headers kept below the position, and all that are not confirmed yet. A reorg that reaches deeper
 * stops the chain: no node we know reorganises so deep.
 */
export const windowBlocks = 512n;

/** Where blocks come fast, so many are soon gone: headers as old as this are kept too. */
export const windowMs = 30 * 60_000;

/**
 * Writes one block, or some that came at once, and moves the position to the last of them.
 * Everything is written in one transaction (docs/invariants.md#i1): transactions, balances,
 * confirmations, the settlement of a reorg, notifications and their deliveries. The chain's row is
 * locked first, so that only one watcher's commit wins (docs/invariants.md#i5). A wallet added or
 * removed meanwhile is matched in this very commit (docs/invariants.md#i4).
 */
export async function commitBlock(db: Database, commit: BlockCommit): Promise<CommitOutcome> {
  const { chainName, parent, headers, headNumber, watchVersion, match } = commit;
  const header = headers.at(-1) ?? headers[0];
  const expected = match(null);
  return inTransaction(db, async (tx) => {
    const [state, known] = await Promise.all([
      lockChain(tx, chainName),
      // Sent behind the lock. Where the watchlist has changed, it is read again.
      readKnown(tx.$lockRaw, expected?.flatMap(({ matched }) => matched) ?? []),
    ]);
    if (state.position?.number !== parent.number || state.position.hash !== parent.hash)
      return { kind: "position_moved" };

    const isSame = state.watchVersion === watchVersion;
    const blocks = isSame ? expected : match(await readDifference(tx, chainName, watchVersion));
    if (blocks === null) return { kind: "watch_changed" };
    const isSettled = commit.isSettled && isSettlementDue(state, header.number);
    const confirmTo = raisedTo(state, commit.confirmedNumber, header.number);
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
 * The position, the blocks up to it, the confirmed height with its cutoffs, and the end of the
 * window. They are one statement, since each costs a way to the database and back.
 */
function storeBlocks(
  tx: TxStatements,
  to: {
    chainName: string;
    headers: readonly BlockHeader[];
    /** The last of them. */
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
