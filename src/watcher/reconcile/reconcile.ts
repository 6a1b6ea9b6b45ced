import { Fault, faultIn } from "../../domain/fault.ts";
import { isInexact } from "../../domain/money/asset.ts";
import { nativeAddress } from "../../domain/money/movement.ts";
import type {
  Difference,
  Finding,
  LedgerBalance,
  LedgerBalancesPage,
  StoredBlock,
} from "../../domain/money/reconciliation.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";
import type { ReconcileLedger } from "../../domain/watch/watcher-ledger.ts";
import type { Logger } from "../../runtime/logger.ts";
import { narrow } from "./narrow.ts";
import { rescan } from "./rescan.ts";

export type ReconcilePorts = {
  chain: Pick<ChainSource, "loadBlock" | "header" | "balancesAt" | "status">;
  ledger: ReconcileLedger;
  log: Logger;
};

/** Balances compared in one step: a few calls to an endpoint. */
const balancesPerStep = 500;

/** Blocks that are read again for a difference, at most: what is older is a discrepancy at once. */
const maxRescanBlocks = 2_000n;

/** How far a comparison of a whole chain has come. All of it may be lost: then it begins anew. */
export type ReconcileProgress = {
  after: { walletId: string; assetId: number } | null;
  compared: number;
  /** The lowest height that was compared at; null before the first. */
  lowest: bigint | null;
  findings: Finding[];
};

export const nothingCompared: ReconcileProgress = {
  after: null,
  compared: 0,
  lowest: null,
  findings: [],
};

export type ReconcileOutcome =
  | { kind: "more"; progress: ReconcileProgress }
  | { kind: "done"; progress: ReconcileProgress }
  /** The chain has not started, is replaying a reorg, or has moved on under the comparison: try again later. */
  | { kind: "not_now" };

/**
 * One bounded step (docs/invariants.md#i10): the next balances are compared with the chain at one block whose hash is
 * stored. A difference leads first to a rescan of the blocks since ledger and chain last agreed; what is left of it
 * is an adjustment where the asset is inexact, an unattributed change where it is the coin of a chain that cannot be
 * traced, and else a discrepancy, which touches no balance. `walletIds` null: every wallet. Safe to repeat at any
 * time and by any number of processes.
 */
export async function reconcileStep(
  ports: ReconcilePorts,
  of: { chainName: string; walletIds: readonly string[] | null },
  progress: ReconcileProgress,
): Promise<ReconcileOutcome> {
  const { chainName, walletIds } = of;
  const asked = { chainName, walletIds, after: progress.after, limit: balancesPerStep };
  const compared = await compare(ports, asked);
  if (compared === null) return { kind: "not_now" };
  const { balances, at, differences } = compared;
  const findings = differences.length === 0 ? [] : await explain(ports, chainName, compared);
  const discrepancies = findings.filter(({ outcome }) => outcome === "discrepancy");
  if (balances.length > 0) {
    await ports.ledger.recordDiscrepancies(chainName, { compared: balances, discrepancies });
  }
  for (const finding of findings) tell(ports.log, chainName, finding);

  const last = balances.at(-1);
  const { lowest } = progress;
  const next: ReconcileProgress = {
    after: last === undefined ? progress.after : { walletId: last.walletId, assetId: last.assetId },
    compared: progress.compared + balances.length,
    lowest: lowest === null || at.number < lowest ? at.number : lowest,
    findings: [...progress.findings, ...findings],
  };
  if (balances.length === balancesPerStep) return { kind: "more", progress: next };
  if (walletIds === null) await finish(ports, chainName, { progress: next, at });
  return { kind: "done", progress: next };
}

/** Where nothing is left open, later differences lie above the lowest height that was compared at. */
async function finish(
  { ledger, log }: ReconcilePorts,
  chainName: string,
  { progress, at }: { progress: ReconcileProgress; at: StoredBlock },
): Promise<void> {
  const { compared, findings, lowest } = progress;
  const isOpen = findings.some(({ outcome }) => outcome === "discrepancy" || outcome === "moved");
  const agreedNumber = isOpen ? null : lowest;
  await ledger.finishReconciliation({ chainName, atNumber: at.number, agreedNumber, compared });
  const counts = { compared, differences: findings.length, atNumber: at.number };
  log.info({ chain: chainName, ...counts }, "reconciliation.done");
}

type Compared = { balances: LedgerBalance[]; at: StoredBlock; differences: Difference[] };

/** Null where there is nothing to compare, or the block it was compared at has left the chain meanwhile. */
async function compare(
  ports: ReconcilePorts,
  asked: Parameters<ReconcilePorts["ledger"]["readLedgerBalances"]>[0],
): Promise<Compared | null> {
  const page = await ports.ledger.readLedgerBalances(asked);
  if (page === null) return null;
  const { balances } = page;
  const read = await readChain(ports, page);
  if (read === null) return null;
  const { at, amounts, ledgerOf } = read;
  if ((await ports.ledger.readHash(asked.chainName, at.number)) !== at.hash) return null;
  const differences = balances.flatMap((balance, index): Difference[] => {
    const chainAtomic = amounts[index];
    if (chainAtomic === undefined)
      throw new Fault("invariant_broken", "A balance is missing from the answer.");
    const ledgerAtomic = ledgerOf(balance);
    return chainAtomic === ledgerAtomic ? [] : [{ balance, at, ledgerAtomic, chainAtomic }];
  });
  return { balances, at, differences };
}

/** At the confirmed height, or where that state is gone at the position, with what is pending. */
async function readChain({ chain }: ReconcilePorts, page: LedgerBalancesPage) {
  const { confirmed, position, balances } = page;
  if (confirmed !== null) {
    try {
      const amounts = await chain.balancesAt(confirmed.hash, balances);
      const ledgerOf = ({ confirmedAtomic }: LedgerBalance) => confirmedAtomic;
      return { at: confirmed, amounts, ledgerOf };
    } catch (error) {
      if (faultIn(error)?.code !== "state_unavailable") throw error;
    }
  }
  try {
    const amounts = await chain.balancesAt(position.hash, balances);
    const ledgerOf = (one: LedgerBalance) => one.confirmedAtomic + one.pendingAtomic;
    return { at: position, amounts, ledgerOf };
  } catch (error) {
    // The position has left the chain, or no endpoint has its state any more: another moment will do.
    if (faultIn(error)?.code !== "state_unavailable") throw error;
    return null;
  }
}

/** Reads the blocks again, compares what differed once more, and judges what is left. */
async function explain(
  ports: ReconcilePorts,
  chainName: string,
  { differences }: Compared,
): Promise<Finding[]> {
  const agreed = await ports.ledger.readAgreed(chainName);
  const to = differences.reduce((high, { at }) => (at.number > high ? at.number : high), 0n);
  const since = differences.reduce((low, { balance }) => {
    const own = startOf(balance, agreed);
    return own < low ? own : low;
  }, to);
  const oldest = to - maxRescanBlocks;
  const balances = differences.map(({ balance }) => balance);
  const range = { chainName, since: since > oldest ? since : oldest, to, balances };
  const found = await rescan(ports, range);
  if (found > 0) ports.log.warn({ chain: chainName, found, since, to }, "transactions.found");

  const walletIds = [...new Set(balances.map(({ walletId }) => walletId))];
  const limit = walletIds.length * maxAssets;
  const again = await compare(ports, { chainName, walletIds, after: null, limit });
  const findings: Finding[] = [];
  for (const before of differences) {
    findings.push(await judge(ports, chainName, { before, again, agreed }));
  }
  return findings;
}

/** As many as a chain may be configured with, and its coin. */
const maxAssets = 1_001;

/** Above this the ledger is answerable for a balance. */
function startOf({ walletSince, assetSince }: LedgerBalance, agreed: bigint | null): bigint {
  const watched = walletSince > assetSince ? walletSince : assetSince;
  return agreed !== null && agreed > watched ? agreed : watched;
}

async function judge(
  ports: ReconcilePorts,
  chainName: string,
  of: { before: Difference; again: Compared | null; agreed: bigint | null },
): Promise<Finding> {
  const { before, again, agreed } = of;
  if (again === null) return { ...before, outcome: "moved" };
  const { walletId, assetId, assetKind } = before.balance;
  const left = again.differences.find(
    ({ balance }) => balance.walletId === walletId && balance.assetId === assetId,
  );
  if (left === undefined) return { ...before, outcome: "found" };
  const since = startOf(left.balance, agreed);
  if (isInexact(assetKind)) {
    const correction = { ...left, since, type: "adjustment" } as const;
    const outcome = await ports.ledger.recordCorrection(chainName, correction);
    return { ...left, outcome: outcome === "moved" ? "moved" : "adjusted" };
  }
  // What contracts pay inside of a transaction is told by traces alone.
  const isUntraced = ports.chain.status().tracing === "off";
  if (!isUntraced || before.balance.assetAddress !== nativeAddress)
    return { ...left, outcome: "discrepancy" };
  for (const change of await narrow(ports, { ...left, since })) {
    const outcome = await ports.ledger.recordCorrection(chainName, change);
    if (outcome === "moved") return { ...left, outcome };
  }
  return { ...left, outcome: "unattributed" };
}

function tell(log: Logger, chain: string, finding: Finding): void {
  const { balance, at, ledgerAtomic, chainAtomic, outcome } = finding;
  const { walletId, walletAddress, assetCode: asset } = balance;
  const fields = { chain, walletId, walletAddress, asset, block: at.number, outcome };
  const amounts = { ledgerAtomic, chainAtomic, differenceAtomic: chainAtomic - ledgerAtomic };
  if (outcome === "discrepancy") log.error({ ...fields, ...amounts }, "discrepancy.found");
  else log.info({ ...fields, ...amounts }, "difference.explained");
}
