import type { BlockHeader } from "../domain/chain/block.ts";
import type { DifferingChange } from "../domain/money/balance-change.ts";
import type { CommitOutcome } from "../domain/watch/commit.ts";
import type { BalanceLedger } from "../domain/watch/watcher-ledger.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Confirmable } from "./gate/confirmable.ts";

export type ReportingPorts = { log: Logger; ledger: Pick<BalanceLedger, "recordDiscrepancies"> };

/** What the operator must know of a commit. */
export async function reportTrouble(
  ports: ReportingPorts,
  chainName: string,
  prepared: { confirmable: Confirmable; differing: readonly DifferingChange[] },
): Promise<void> {
  logDispute(ports.log, chainName, prepared.confirmable);
  await reportDiffering(ports, chainName, prepared.differing);
}

/** Logs and records the movements that the balances do not show: they are not confirmed, and nobody is notified, until they do. */
export async function reportDiffering(
  { log, ledger }: ReportingPorts,
  chainName: string,
  differing: readonly DifferingChange[],
): Promise<void> {
  if (differing.length === 0) return;
  const discrepancies = differing.map((change) => {
    const { walletId, assetId, block, sumAtomic, beforeAtomic, afterAtomic } = change;
    const [moved, before, after] = [sumAtomic, beforeAtomic, afterAtomic].map(String);
    const amounts = { moved, before, after };
    log.error({ chain: chainName, walletId, block: block.number, ...amounts }, "balance.unproven");
    const ledgerAtomic = beforeAtomic + sumAtomic;
    const balance = { walletId, assetId };
    const since = block.number - 1n;
    return { balance, at: block, since, ledgerAtomic, chainAtomic: afterAtomic };
  });
  await ledger.recordDiscrepancies(chainName, { compared: [], discrepancies });
}

/** Logs that two endpoints are on two branches: nothing is confirmed meanwhile. */
export function logDispute(log: Logger, chainName: string, confirmable: Confirmable): void {
  if (confirmable.kind !== "disputed") return;
  log.warn({ chain: chainName, ...confirmable }, "confirmation.disputed");
}

/** One line for each commit, at debug level where it changed nothing. */
export function logCommit(
  log: Logger,
  committed: {
    chainName: string;
    /** Of the last block. */
    header: BlockHeader;
    /** How many blocks it wrote. */
    blocks: number;
    headNumber: bigint;
    outcome: Extract<CommitOutcome, { kind: "committed" }>;
  },
): void {
  const { chainName, header, blocks, headNumber, outcome } = committed;
  const { recorded, confirmed, dropped, reversed, notified } = outcome;
  const isNews = recorded + confirmed + dropped + reversed > 0;
  const block = { chain: chainName, block: header.number, hash: header.hash, blocks, headNumber };
  const fields = { ...block, recorded, confirmed, dropped, reversed, notified };
  if (isNews) log.info(fields, "block.committed");
  else log.debug(fields, "block.committed");
}
