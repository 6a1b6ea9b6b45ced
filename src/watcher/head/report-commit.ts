import type { DifferingChange } from "../../domain/money/balance-change.ts";
import type { BalanceLedger } from "../../domain/watch/watcher-ledger.ts";
import type { Logger } from "../../runtime/logger.ts";
import type { Confirmable } from "../confirmable.ts";
import type { AdvanceOutcome } from "./advance.ts";

export type ReportingPorts = { log: Logger; ledger: Pick<BalanceLedger, "recordDiscrepancies"> };

/** What the operator must know of a commit. */
export async function reportTrouble(
  ports: ReportingPorts,
  chainName: string,
  outcome: { confirmable: Confirmable; differing: readonly DifferingChange[] },
): Promise<void> {
  logDispute(ports.log, chainName, outcome.confirmable);
  await reportDiffering(ports, chainName, outcome.differing);
}

/** A movement that the balances do not show is not confirmed: nobody is notified for it until they do. */
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
    return { balance, at: block, ledgerAtomic, chainAtomic: afterAtomic };
  });
  await ledger.recordDiscrepancies(chainName, { compared: [], discrepancies });
}

/** Two endpoints on two branches is what the operator must know of: nothing is confirmed meanwhile. */
export function logDispute(log: Logger, chainName: string, confirmable: Confirmable): void {
  if (confirmable.kind !== "disputed") return;
  log.warn({ chain: chainName, ...confirmable }, "confirmation.disputed");
}

/** One line for each block; of those in which nothing is of interest, for who debugs. */
export function logCommit(
  log: Logger,
  chainName: string,
  outcome: Extract<AdvanceOutcome, { kind: "committed" }>,
): void {
  const { kind: _, confirmable: __, differing: ___, block, ...counts } = outcome;
  const isNews = counts.recorded + counts.confirmed + counts.dropped + counts.reversed > 0;
  const fields = { chain: chainName, block: block.number, hash: block.hash, ...counts };
  if (isNews) log.info(fields, "block.committed");
  else log.debug(fields, "block.committed");
}
