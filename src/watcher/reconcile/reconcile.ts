import type { BalanceKey } from "../../domain/money/balance.ts";
import type { Finding } from "../../domain/money/reconciliation.ts";
import type { ReconcileLedger } from "../../domain/watch/watcher-ledger.ts";
import type { Logger } from "../../runtime/logger.ts";
import { type Comparison, compare } from "./compare.ts";
import { type ExplainPorts, explain } from "./explain.ts";

export type ReconcilePorts = Pick<ExplainPorts, "chain" | "log" | "oldBlocks"> & {
  ledger: ReconcileLedger;
};

/** The number of balances that one step compares, with a few requests to an endpoint. */
const balancesPerStep = 500;

/**
 * The progress of a comparison of a whole chain. It may be lost: then the comparison starts again.
 */
export type ReconcileProgress = {
  after: BalanceKey | null;
  compared: number;
  /** The number of balances on which no two hosts agree. They are compared again the next time. */
  open: number;
  /** The lowest height at which balances were compared. Null before the first. */
  lowest: bigint | null;
  /** The number of undos of the chain, which must stay. Null before the first balances. */
  undos: number | null;
  findings: Finding[];
  /** Balances of leaving wallets that are zero both in the ledger and on the chain. */
  empty: readonly BalanceKey[];
};

export const nothingCompared: ReconcileProgress = {
  after: null,
  compared: 0,
  open: 0,
  lowest: null,
  undos: null,
  findings: [],
  empty: [],
};

export type ReconcileOutcome =
  | { kind: "more"; progress: ReconcileProgress }
  | { kind: "done"; progress: ReconcileProgress }
  /**
   * Go on later: the chain has not started, is replaying a reorg, or has moved during this step.
   */
  | { kind: "not_now" }
  /** Begin anew: confirmed blocks were undone, at which earlier balances may have been compared. */
  | { kind: "moved" };

/**
 * One bounded step (docs/invariants.md#i10): compares the next balances with the chain at one block
 * with a stored hash. If they differ, it first reads again the blocks since ledger and chain last
 * agreed. The rest of it becomes:
 * - an adjustment, if the asset is inexact,
 * - an unattributed change, if it is the coin of a chain that cannot be traced,
 * - else a discrepancy, which changes no balance.
 *
 * `walletIds` null: every wallet. Safe to repeat at any time and by any number of processes.
 */
export async function reconcileStep(
  ports: ReconcilePorts,
  of: { chainName: string; walletIds: readonly string[] | null },
  progress: ReconcileProgress,
): Promise<ReconcileOutcome> {
  const { chainName, walletIds } = of;
  const asked = { chainName, walletIds, after: progress.after, limit: balancesPerStep };
  const comparison = await compare(ports, asked);
  if (comparison === null) return { kind: "not_now" };
  const { balances, undos, at, differences, open } = comparison;
  if (undos !== (progress.undos ?? undos)) return { kind: "moved" };
  const findings = await explain(ports, chainName, differences);
  const discrepancies = findings.filter(isOpen);
  const compared = balances.filter((one) => !open.has(one));
  if (compared.length > 0)
    await ports.ledger.recordDiscrepancies(chainName, { compared, discrepancies });
  for (const finding of findings) logFinding(ports.log, chainName, finding);

  const last = balances.at(-1);
  const lowest = progress.lowest ?? comparison.lowest;
  const next: ReconcileProgress = {
    after: last === undefined ? progress.after : { walletId: last.walletId, assetId: last.assetId },
    compared: progress.compared + compared.length,
    open: progress.open + open.size,
    lowest: comparison.lowest < lowest ? comparison.lowest : lowest,
    undos,
    findings: [...progress.findings, ...findings],
    empty: [...progress.empty, ...emptyIn(comparison)],
  };
  if (balances.length === balancesPerStep) return { kind: "more", progress: next };
  const end = { progress: next, atNumber: at.number, undos };
  if (walletIds === null && !(await finish(ports, chainName, end))) return { kind: "moved" };
  return { kind: "done", progress: next };
}

function emptyIn({ balances, differences, open }: Comparison): BalanceKey[] {
  const differing = new Set(differences.map(({ balance }) => balance));
  return balances
    .filter(
      (one) =>
        one.isLeaving &&
        one.confirmedAtomic === 0n &&
        one.pendingAtomic === 0n &&
        !open.has(one) &&
        !differing.has(one),
    )
    .map(({ walletId, assetId }) => ({ walletId, assetId }));
}

/** True if nothing explains the difference yet. */
function isOpen({ outcome }: Finding): boolean {
  return outcome === "discrepancy" || outcome === "moved";
}

/**
 * Ends a comparison. Later differences must have arisen above the lowest height that was compared.
 * A balance that still differs keeps its own, older height. So one such balance does not prevent
 * the others from counting as agreed.
 * @returns false if confirmed blocks were undone since the comparison began
 */
async function finish(
  { ledger, log }: ReconcilePorts,
  chainName: string,
  of: { progress: ReconcileProgress; atNumber: bigint; undos: number },
): Promise<boolean> {
  const { atNumber, undos } = of;
  const { compared, open, findings, lowest, empty } = of.progress;
  // The height rises only if the state root or two hosts showed every balance.
  const agreedNumber = open === 0 ? lowest : null;
  const finished = { chainName, atNumber, agreedNumber, compared, undos };
  if ((await ledger.finishReconciliation(finished)) === "moved") return false;
  const counts = { compared, open, differences: findings.length, atNumber };
  log.info({ chain: chainName, ...counts }, "reconciliation.done");
  const ended = await ledger.endLeaving(chainName, empty);
  if (ended > 0) log.info({ chain: chainName, wallets: ended }, "wallets.left");
  return true;
}

function logFinding(log: Logger, chain: string, finding: Finding): void {
  const { balance, at, ledgerAtomic, chainAtomic, outcome } = finding;
  const { walletId, walletAddress, assetCode: asset } = balance;
  const fields = { chain, walletId, walletAddress, asset, block: at.number, outcome };
  const amounts = { ledgerAtomic, chainAtomic, differenceAtomic: chainAtomic - ledgerAtomic };
  if (isOpen(finding)) log.error({ ...fields, ...amounts }, "discrepancy.found");
  else log.info({ ...fields, ...amounts }, "difference.explained");
}
