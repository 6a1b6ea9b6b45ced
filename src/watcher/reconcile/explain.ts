import { isInexact } from "../../domain/money/asset.ts";
import { nativeAddress } from "../../domain/money/movement.ts";
import type { Difference, Finding, LedgerBalance } from "../../domain/money/reconciliation.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";
import type { ReconcileLedger } from "../../domain/watch/watcher-ledger.ts";
import type { Logger } from "../../runtime/logger.ts";
import { orNone } from "../gate/ask-again.ts";
import type { OldBlocks } from "../gate/old-blocks.ts";
import { type Comparison, compare } from "./compare.ts";
import { correctOpening } from "./correct-opening.ts";
import { findHidden } from "./find-hidden.ts";
import { explainsAll, narrow } from "./narrow.ts";
import { type RescanPorts, rescan } from "./rescan.ts";

export type ExplainPorts = {
  chain: RescanPorts["chain"] & Pick<ChainSource, "header" | "showsInternalMoves">;
  ledger: Omit<ReconcileLedger, "recordDiscrepancies" | "finishReconciliation">;
  oldBlocks: OldBlocks;
  log: Logger;
};

/**
 * The most blocks that are read again for a difference. Older differences count as discrepancies at
 * once.
 */
const maxRescanBlocks = 2_000n;

/** The most assets that a chain can have configured, and its coin. */
const maxAssets = 1_001;

/**
 * Explains each difference. Reads again the blocks since ledger and chain last agreed, and compares
 * the differing balances once more. Then looks for payments that the leading endpoint hides, and
 * judges the rest. Safe to repeat.
 */
export async function explain(
  ports: ExplainPorts,
  chainName: string,
  differences: readonly Difference[],
): Promise<Finding[]> {
  if (differences.length === 0) return [];
  const agreed = await ports.ledger.readAgreed(chainName);
  const balances = differences.map(({ balance }) => balance);
  const range = rangeOf(differences, agreed);
  const { found, replaced } = await rescan(ports, { chainName, ...range, balances });
  if (found + replaced > 0)
    ports.log.warn({ chain: chainName, found, replaced, ...range }, "transactions.found");

  const walletIds = [...new Set(balances.map(({ walletId }) => walletId))];
  const limit = walletIds.length * maxAssets;
  const compareAgain = () => compare(ports, { chainName, walletIds, after: null, limit });
  let again = await compareAgain();
  let hidden = 0;
  for (const left of again?.differences ?? []) {
    const since = startOf(left.balance, agreed);
    if (!isAmong(left.balance, balances) || !(await showsAll(ports.chain, left, since))) continue;
    if (await findHidden(ports, chainName, { ...left, since })) hidden += 1;
  }
  if (hidden > 0) again = await compareAgain();
  const findings: Finding[] = [];
  for (const before of differences) {
    findings.push(await judge(ports, chainName, { before, again, agreed }));
  }
  return findings;
}

/** The blocks that may explain the differences: above `since`, up to and including `to`. */
function rangeOf(differences: readonly Difference[], agreed: bigint | null) {
  const to = differences.reduce((high, { at }) => (at.number > high ? at.number : high), 0n);
  const lowest = differences.reduce((low, { balance }) => {
    const start = startOf(balance, agreed);
    return start < low ? start : low;
  }, to);
  const oldest = to - maxRescanBlocks;
  return { since: lowest > oldest ? lowest : oldest, to };
}

/**
 * The height above which the ledger has to explain a balance. This is the last height at which both
 * agreed, or a lower one at which the balance was left differing. It is never below the height at
 * which the balance began to be watched. A newer `differsSince` does not count. The head may have
 * noticed it in one block, which need not be the whole difference.
 */
function startOf(
  { walletSince, assetSince, differsSince, openedNumber }: LedgerBalance,
  agreed: bigint | null,
): bigint {
  const watched = walletSince > assetSince ? walletSince : assetSince;
  // The comparison that agreed did not cover a balance whose opening was recorded later.
  if (agreed !== null && openedNumber !== null && openedNumber > agreed) return watched;
  const isOlder = agreed !== null && differsSince !== null && differsSince < agreed;
  const known = isOlder ? differsSince : agreed;
  return known !== null && known > watched ? known : watched;
}

async function judge(
  ports: ExplainPorts,
  chainName: string,
  of: { before: Difference; again: Comparison | null; agreed: bigint | null },
): Promise<Finding> {
  const { before, again, agreed } = of;
  if (again === null)
    return { ...before, since: startOf(before.balance, agreed), outcome: "moved" };
  const { assetKind, assetAddress } = before.balance;
  const isIt = (balance: LedgerBalance) => isAmong(balance, [before.balance]);
  const left = again.differences.find(({ balance }) => isIt(balance));
  const since = startOf(before.balance, agreed);
  // The balance is no longer shown, so it is compared the next time.
  if ([...again.open].some(isIt)) return { ...before, since, outcome: "moved" };
  if (left === undefined) return { ...before, since, outcome: "found" };
  if (isInexact(assetKind)) {
    const correction = { ...left, since, type: "adjustment" } as const;
    const outcome = await ports.ledger.recordCorrection(chainName, correction);
    return { ...left, since, outcome: outcome === "moved" ? "moved" : "adjusted" };
  }
  const mayBeInternal =
    assetAddress === nativeAddress && !(await showsAll(ports.chain, left, since));
  if (await correctOpening(ports, chainName, left))
    return { ...left, since, outcome: "opening_corrected" };
  if (!mayBeInternal) return { ...left, since, outcome: "discrepancy" };
  const changes = await narrow(ports, { ...left, since });
  for (const change of changes) {
    const outcome = await ports.ledger.recordCorrection(chainName, change);
    if (outcome === "moved") return { ...left, since, outcome };
  }
  return { ...left, since, outcome: explainsAll(left, changes) ? "unattributed" : "discrepancy" };
}

const isAmong = (one: LedgerBalance, balances: readonly LedgerBalance[]) =>
  balances.some(({ walletId, assetId }) => one.walletId === walletId && one.assetId === assetId);

/**
 * True if the blocks above a height show the payments of contracts, as they are read. A hard fork
 * that brings this is never undone, so the first block decides. If no endpoint has it any more, the
 * compared block does.
 */
async function showsAll(
  chain: ExplainPorts["chain"],
  { at }: Difference,
  since: bigint,
): Promise<boolean> {
  const first = since < at.number ? await orNone(chain.header(since + 1n)) : at;
  return chain.showsInternalMoves((first ?? at).hash);
}
