import { type BlockHeader, checkpointBlocks } from "../../domain/chain/block.ts";
import type { RangeCommit, RangeOutcome } from "../../domain/watch/commit.ts";
import { rowsOf } from "../chain/block-rows.ts";
import { lockChain } from "../chain/chain-state.ts";
import { raisedTo } from "../chain/confirmed-height.ts";
import { cutoffsSql, type Raised } from "../chain/cutoffs.ts";
import type { Database } from "../postgres/database.ts";
import type { Statements } from "../postgres/statements.ts";
import { inTransaction } from "../postgres/transaction.ts";
import { readDifference } from "../watchlist/read-watchlist.ts";
import { windowBlocks, windowMs } from "./commit-block.ts";
import { writeBlocks } from "./write-blocks.ts";

/**
 * Writes several blocks and moves the position to the last of them, in one transaction
 * (docs/invariants.md#i1). The result is the same as of one commitBlock after another, with two
 * differences. Transactions that are confirmed at once are written as confirmed. No pending event
 * is notified.
 *
 * It locks the chain's row first (docs/invariants.md#i5). A wallet added or removed in the meantime
 * is matched in this same commit, or nothing is committed (docs/invariants.md#i4). During the
 * replay of a reorg it writes nothing, since that goes block by block.
 */
export async function commitRange(db: Database, commit: RangeCommit): Promise<RangeOutcome> {
  const { chainName, parent, headers, watchVersion, match, confirmedNumber } = commit;
  return inTransaction(db, async (tx) => {
    const state = await lockChain(tx, chainName);
    const isParent =
      state.position?.number === parent.number && state.position.hash === parent.hash;
    const tip = headers.at(-1);
    if (!isParent || state.settleNumber !== null || tip === undefined)
      return { kind: "position_moved" };
    const isSame = state.watchVersion === watchVersion;
    const blocks = match(isSame ? null : await readDifference(tx, chainName, watchVersion));
    if (blocks === null) return { kind: "watch_changed" };

    const before = state.confirmedNumber ?? -1n;
    const upTo = (await raisedTo(tx, state, confirmedNumber, tip.number)) ?? before;
    const confirmedBefore = before > upTo - 1n ? before : upTo - 1n;
    const { recorded, confirmed, notified, ids } = await writeBlocks(tx, {
      chain: state,
      blocks,
      confirmTo: upTo,
      aloneAbove: commit.isAgreed ? null : (state.confirmedNumber ?? -1n),
      notifiesPending: false,
      settles: null,
    });
    const raised = { chainName, from: state.confirmedNumber, to: upTo, added: headers };
    await moveWindow(tx, { ...raised, confirmedBefore });
    await movePosition(tx, { chainName, tip, headNumber: commit.headNumber, confirmedTo: upTo });
    return { kind: "committed", recorded, confirmed, notified, ids };
  });
}

/**
 * Stores the window as single blocks would have left it, and the cutoffs on the way. Keeps hashes
 * longer where an opening balance is still to be read.
 */
async function moveWindow(
  tx: Statements,
  window: Raised & { confirmedBefore: bigint },
): Promise<void> {
  const { chainName, added: headers, confirmedBefore } = window;
  const tip = headers.at(-1);
  const oldest = (tip?.number ?? 0n) - windowBlocks;
  const from = confirmedBefore < oldest ? confirmedBefore : oldest;
  const sinceMs = (tip?.timeMs ?? 0) - windowMs;
  const isKept = ({ number, timeMs }: BlockHeader) => number >= from || timeMs >= sinceMs;
  const kept = headers.filter(isKept);
  await tx.$executeRaw`
    WITH ${cutoffsSql(window)}
    INSERT INTO block (chain_name, number, hash, parent_hash, time) ${rowsOf(chainName, kept)}`;
  const passed = headers.filter(
    (header) => !isKept(header) && header.number % checkpointBlocks === 0n,
  );
  await tx.$executeRaw`
    WITH forgotten AS (
      DELETE FROM block k
      WHERE k.chain_name = ${chainName} AND k.number < ${from} AND k.time < ${new Date(sinceMs)} AND NOT EXISTS (
        SELECT 1 FROM watch_change c JOIN balance b ON b.since_change_id = c.id AND b.opening IS NULL
        WHERE c.chain_name = k.chain_name AND c.position_number = k.number
      ) AND NOT EXISTS (
        SELECT 1 FROM asset a JOIN watch_change c ON c.id = a.watch_change_id
        WHERE a.opening_after IS NOT NULL AND a.chain_name = k.chain_name AND c.position_number = k.number)
      RETURNING number, hash
    )
    INSERT INTO checkpoint (chain_name, number, hash)
    SELECT ${chainName}, number, hash FROM forgotten WHERE number % ${checkpointBlocks} = 0
    UNION SELECT ${chainName}, r.* FROM unnest(${passed.map(({ number }) => number)}::bigint[],
      ${passed.map(({ hash }) => hash)}::text[]) AS r
    ON CONFLICT DO NOTHING`;
}

async function movePosition(
  tx: Statements,
  to: { chainName: string; tip: BlockHeader; headNumber: bigint; confirmedTo: bigint },
): Promise<void> {
  const { chainName, tip, headNumber, confirmedTo } = to;
  await tx.$executeRaw`
    UPDATE chain SET position_number = ${tip.number}, position_hash = ${tip.hash},
      position_time = ${new Date(tip.timeMs)}, head_number = GREATEST(${headNumber}::bigint, ${tip.number}),
      confirmed_number = ${confirmedTo}
    WHERE name = ${chainName}`;
}
