import type { BlockHeader } from "../domain/chain/block.ts";
import { lastOf } from "../domain/last-of.ts";
import type { DifferingChange } from "../domain/money/balance-change.ts";
import type { CommitOutcome } from "../domain/watch/commit.ts";
import type { BalanceLedger } from "../domain/watch/watcher-ledger.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Confirmable } from "./gate/confirmable.ts";

export type ReportingPorts = { log: Logger; ledger: Pick<BalanceLedger, "recordDiscrepancies"> };

/** Reports what the operator must know about a commit. */
export async function reportTrouble(
  ports: ReportingPorts,
  chainName: string,
  prepared: { confirmable: Confirmable; differing: readonly DifferingChange[] },
): Promise<void> {
  logDispute(ports.log, chainName, prepared.confirmable);
  await reportDiffering(ports, chainName, prepared.differing);
}

/**
 * Logs and stores the movements that contradict the balances. They are not confirmed, and nobody is
 * notified, until the balances agree.
 */
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

/** Logs that two endpoints are on different branches. Nothing is confirmed until that ends. */
export function logDispute(log: Logger, chainName: string, confirmable: Confirmable): void {
  if (confirmable.kind !== "disputed") return;
  log.warn({ chain: chainName, ...confirmable }, "confirmation.disputed");
}

/** Logs one line for each commit, at debug level if it changed nothing. */
export function logCommit(
  log: Logger,
  committed: {
    chainName: string;
    kind: "newest" | "range";
    headers: readonly [BlockHeader, ...BlockHeader[]];
    headNumber: bigint;
    outcome: Extract<CommitOutcome, { kind: "committed" }>;
  },
): void {
  const { chainName, kind, headers, headNumber, outcome } = committed;
  const { recorded, confirmed, notified } = outcome;
  const [first] = headers;
  const { number, hash } = lastOf(headers);
  const written = { recorded, confirmed, notified };
  if (kind === "range") {
    const range = { from: first.number, to: number };
    log.debug({ chain: chainName, ...range, hash, ...written }, "range.committed");
    return;
  }
  const { dropped, reversed } = outcome;
  const block = { chain: chainName, block: number, hash, blocks: headers.length, headNumber };
  const isNews = recorded + confirmed + dropped + reversed > 0;
  const fields = { ...block, recorded, confirmed, dropped, reversed, notified };
  if (isNews) log.info(fields, "block.committed");
  else log.debug(fields, "block.committed");
}
