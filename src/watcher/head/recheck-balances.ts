import type {
  BalanceChange,
  DifferingChange,
  WaitingChange,
} from "../../domain/money/balance-change.ts";
import { type AssetAddress, nativeAddress } from "../../domain/money/movement.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";
import type { BalanceLedger, HeadLedger } from "../../domain/watch/watcher-ledger.ts";
import type { WitnessGate } from "../gate/witness-gate.ts";
import { judgeChanges, type ProvingChain } from "../prove-balances.ts";
import { type ReportingPorts, reportDiffering } from "../report-commit.ts";
import { reread } from "../reread.ts";

export type RecheckPorts = ReportingPorts & {
  chain: ProvingChain & Pick<ChainSource, "header" | "loadBlock">;
  gate: Pick<WitnessGate, "hasWaited" | "release">;
  ledger: Pick<BalanceLedger, "readUnproven" | "acceptProven" | "replaceRead"> &
    Pick<HeadLedger, "readWatchlist">;
};

/**
 * More than ever wait in practice: movements that an endpoint invented, and wallets that were added while their block
 * was being read.
 */
const maxChanges = 256;

/**
 * One bounded step: movements that wait for their proof are compared with the balances again. Those that add up now,
 * or that no endpoint has balances for any more, are confirmed as if they had added up at once. The blocks of the others
 * are read again: where two readings add up, what they hold takes the place of what is written. What is left is reported
 * again. Safe to repeat.
 */
export async function recheckBalances(
  ports: RecheckPorts,
  chainName: string,
): Promise<{ waiting: number; accepted: number }> {
  const { chain, ledger, log } = ports;
  const rows = await ledger.readUnproven(chainName, maxChanges);
  if (rows.length === 0) return { waiting: 0, accepted: 0 };
  const { settled, differing } = chain.seesEveryMove()
    ? await judgeRows(ports, rows)
    : { settled: rows, differing: [] };
  const { left, replaced } = await rereadAll(ports, chainName, differing);
  await reportDiffering(ports, chainName, left);
  const waiting = rows.length - settled.length - replaced;
  if (settled.length === 0) return { waiting, accepted: replaced };
  const changes = settled.map(({ walletId, block }) => ({ walletId, blockHash: block.hash }));
  const outcome = await ledger.acceptProven(chainName, changes);
  log.info({ chain: chainName, ...outcome }, "balances.proved");
  return { waiting, accepted: outcome.accepted + replaced };
}

/** Each block is read again for each wallet; those of which something was replaced are no longer left. */
async function rereadAll(
  ports: RecheckPorts,
  chainName: string,
  differing: readonly DifferingChange[],
): Promise<{ left: DifferingChange[]; replaced: number }> {
  if (differing.length === 0) return { left: [], replaced: 0 };
  const list = await ports.ledger.readWatchlist(chainName);
  const left: DifferingChange[] = [];
  for (const change of differing) {
    const { walletId, walletAddress, assetId, block } = change;
    const assetAddress: AssetAddress = nativeAddress;
    const balance = { walletId, walletAddress, assetId, assetAddress };
    if (!(await reread(ports, { chainName, block, balance, list }))) left.push(change);
  }
  return { left, replaced: differing.length - left.length };
}

async function judgeRows(
  { chain, gate }: Pick<RecheckPorts, "chain" | "gate">,
  rows: readonly WaitingChange[],
): Promise<{ settled: BalanceChange[]; differing: DifferingChange[] }> {
  const numbers = [...new Set(rows.map(({ block }) => block.number))];
  const headers = new Map(
    await Promise.all(numbers.map(async (number) => [number, await chain.header(number)] as const)),
  );
  const changes = rows.flatMap((row): BalanceChange[] => {
    const header = headers.get(row.block.number);
    // Another block is at that height now: the watcher will undo this one.
    return header?.hash === row.block.hash ? [{ ...row, block: header }] : [];
  });
  const settled: BalanceChange[] = [];
  const differing: DifferingChange[] = [];
  const unshown: BalanceChange[] = [];
  for (const [change, verdict] of await judgeChanges(chain, changes)) {
    if (verdict.kind === "differs") differing.push({ ...change, ...verdict });
    else if (verdict.kind === "unshown") unshown.push(change);
    else settled.push(change);
  }
  const [oldest] = unshown;
  if (oldest === undefined) gate.release("balance");
  else if (gate.hasWaited("balance", oldest.block.number)) settled.push(...unshown);
  return { settled, differing };
}
