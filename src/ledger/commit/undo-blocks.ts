import { isSameBlock, type Position } from "../../domain/chain/block.ts";
import type { Undo, UndoOutcome } from "../../domain/watch/commit.ts";
import { lockChain } from "../chain/chain-state.ts";
import type { Database } from "../postgres/database.ts";
import { inTransaction, type Tx } from "../postgres/transaction.ts";
import { undoSightings } from "../sightings/record-sightings.ts";
import { onChainStatuses } from "../transactions/transaction-words.ts";
import { deleteHistory, undoHistory } from "../watchlist/history.ts";
import { beginBranch } from "./rewound-blocks.ts";

/**
 * Takes a chain back to an ancestor whose block is still canonical, in one transaction
 * (docs/invariants.md#i2, #i3). Transactions above the ancestor are orphaned. The API shows their
 * old status until the new branch is as high as the old one. Then those that are still missing are
 * settled.
 *
 * Openings read above the ancestor are taken back and read again. Sightings above it are dropped.
 * Wallets and assets added above it are watched from the ancestor on (docs/invariants.md#i4).
 * Answers `position_moved`, and writes nothing, if the position is not `from`.
 */
export async function undoBlocks(db: Database, undo: Undo): Promise<UndoOutcome> {
  const { chainName, from, ancestor } = undo;
  return inTransaction(db, async (tx) => {
    const state = await lockChain(tx, chainName);
    if (!isSameBlock(state.position, from)) return { kind: "position_moved" };
    await deleteHistory(tx, chainName, { above: ancestor.number, of: "watched" });
    const outcome = await undoAbove(tx, { chainName, ancestor });
    await beginBranch(tx, chainName, ancestor.number);
    return outcome;
  });
}

/**
 * The part of an undo that a rewind of the chain shares. It does not change since when wallets are
 * watched. An operator may rewind far below a wallet's addition, and its opening includes earlier
 * payments. The caller holds the chain's lock.
 */
export async function undoAbove(
  tx: Tx,
  undo: { chainName: string; ancestor: Position },
): Promise<UndoOutcome> {
  const { chainName, ancestor } = undo;
  const above = { above: ancestor.number, of: "watched" } as const;
  await undoHistory(tx, chainName, above);
  // A correction above the ancestor is taken back: what it corrected is looked for again.
  await tx.$executeRaw`
    UPDATE reconciliation SET agreed_number = LEAST(agreed_number, ${ancestor.number}, (
      SELECT min(since_number) FROM transaction
      WHERE chain_name = ${chainName} AND block_number > ${ancestor.number} AND since_number IS NOT NULL
        AND status IN (${onChainStatuses})))
    WHERE chain_name = ${chainName} AND agreed_number IS NOT NULL`;
  await tx.$executeRaw`
    UPDATE discrepancy SET since_number = LEAST(since_number, ${ancestor.number}) WHERE chain_name = ${chainName}`;
  await tx.checkpoint.deleteMany({ where: { chainName, number: { gt: ancestor.number } } });
  const orphaned = await tx.$executeRaw`
    UPDATE transaction SET orphaned = true
    WHERE chain_name = ${chainName} AND block_number > ${ancestor.number} AND status IN (${onChainStatuses})`;
  await undoSightings(tx, chainName, ancestor.number);
  const openingsUndone = await undoOpenings(tx, chainName, above);
  await tx.block.deleteMany({ where: { chainName, number: { gt: ancestor.number } } });
  await tx.$executeRaw`
    UPDATE chain SET position_number = ${ancestor.number}, position_hash = ${ancestor.hash},
      position_time = (SELECT time FROM block WHERE chain_name = ${chainName} AND number = ${ancestor.number}),
      confirmed_number = LEAST(confirmed_number, ${ancestor.number}),
      settle_number = GREATEST(settle_number, position_number),
      undos = undos + CASE WHEN ${ancestor.number} < confirmed_number THEN 1 ELSE 0 END
    WHERE name = ${chainName}`;
  return { kind: "undone", orphaned, openingsUndone };
}

/**
 * Takes back the openings whose height is above a block. An opening is the chain's balance at a
 * height, and that block is gone. Answers how many.
 *
 * `watched`: those that are read again. The opening of an ended wallet or a removed asset stays, as
 * its completed transactions do. `all`: those too, for the reset of a chain.
 */
export async function undoOpenings(
  tx: Tx,
  chainName: string,
  undo: { above: bigint; of: "watched" | "all" },
): Promise<number> {
  return tx.$executeRaw`
    WITH gone AS (
      SELECT b.wallet_id, b.asset_id, b.opening, c.position_number
      FROM balance b
        JOIN watch_change c ON c.id = b.since_change_id
        JOIN asset a ON a.id = b.asset_id
      WHERE c.chain_name = ${chainName} AND c.position_number > ${undo.above} AND b.opening IS NOT NULL
        AND (NOT b.ended AND a.configured OR ${undo.of === "all"}::boolean)
    ), entries AS (
      INSERT INTO ledger_entry (wallet_id, asset_id, kind, amount, block_number)
      SELECT wallet_id, asset_id, 'opening_undone', -opening, position_number FROM gone
    )
    UPDATE balance b SET opening = NULL, opening_proof = NULL, confirmed = b.confirmed - gone.opening
    FROM gone WHERE b.wallet_id = gone.wallet_id AND b.asset_id = gone.asset_id`;
}
