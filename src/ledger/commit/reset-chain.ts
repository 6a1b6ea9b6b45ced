import type { DiscrepancyResolution } from "../../domain/evidence/reconciliation-record.ts";
import { idAt } from "../../domain/id.ts";
import { lockChain } from "../chain/chain-state.ts";
import type { Tx } from "../postgres/transaction.ts";
import { undoSightings } from "../sightings/record-sightings.ts";
import { onChainStatuses } from "../transactions/transaction-words.ts";
import { deleteHistory, undoHistory } from "../watchlist/history.ts";
import { settleOrphaned } from "./settle-reorg.ts";
import { undoOpenings } from "./undo-blocks.ts";

/** The resolution of the discrepancies that this reset ends. Triggers write it to their record. */
const resolution = "reset" satisfies DiscrepancyResolution;

export type ResetOutcome = { dropped: number; reversed: number; notified: number };

/**
 * Forgets a chain: its genesis, position, window, openings, histories and comparisons, and why it
 * was stopped. Its transactions and sightings are no longer on any chain. So pending transactions
 * become dropped and completed ones reversed, and are notified as after a reorg. So do those of
 * wallets and assets that are no longer watched.
 *
 * Wallets stay. They are watched anew from the first position of the next chain with this name. One
 * transaction.
 * @throws Fault `chain_not_found`
 */
export async function resetChain(tx: Tx, chainName: string): Promise<ResetOutcome> {
  const state = await lockChain(tx, chainName);
  const everything = { above: -1n, of: "all" } as const;
  await undoHistory(tx, chainName, everything);
  await deleteHistory(tx, chainName, everything);
  await tx.$executeRaw`SELECT set_config('chainbell.resolution', ${resolution}, true)`;
  // Discrepancies and reconciliations name heights of the chain that is gone.
  await tx.discrepancy.deleteMany({ where: { chainName } });
  await tx.reconciliation.deleteMany({ where: { chainName } });
  await tx.history.deleteMany({ where: { wallet: { chainName } } });
  await tx.$executeRaw`
      UPDATE transaction SET orphaned = true
      WHERE chain_name = ${chainName} AND status IN (${onChainStatuses})`;
  // An empty list: no threshold is judged, since no balance is known from here on.
  const settled = await settleOrphaned(tx, chainName, []);
  await undoSightings(tx, chainName, -1n);
  await undoOpenings(tx, chainName, everything);
  await tx.block.deleteMany({ where: { chainName } });
  await tx.rewoundBlock.deleteMany({ where: { chainName } });
  await tx.checkpoint.deleteMany({ where: { chainName } });
  await tx.cutoff.deleteMany({ where: { chainName } });
  // One new change replaces all of them. A process with an older version then reads every wallet
  // and asset anew.
  const version = state.watchVersion + 1n;
  const changeId = idAt(Date.now());
  await tx.watchChange.create({ data: { id: changeId, chainName, version } });
  await tx.wallet.updateMany({
    where: { chainName, removedAt: null },
    data: { addedChangeId: changeId },
  });
  await tx.asset.updateMany({ where: { chainName }, data: { watchChangeId: changeId } });
  await tx.$executeRaw`
      UPDATE balance b SET since_change_id = ${changeId}::uuid
      FROM wallet w WHERE w.id = b.wallet_id AND w.chain_name = ${chainName}`;
  await tx.chain.update({
    where: { name: chainName },
    data: {
      genesisHash: null,
      positionNumber: null,
      positionHash: null,
      positionTime: null,
      confirmedNumber: null,
      headNumber: null,
      settleNumber: null,
      undos: { increment: 1 },
      stoppedCode: null,
      stoppedReason: null,
      stoppedAt: null,
      watchVersion: version,
    },
  });
  return settled;
}
