import type {
  BalanceChange,
  DifferingChange,
  WaitingChange,
} from "../../domain/money/balance-change.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";
import type { BalanceLedger } from "../../domain/watch/watcher-ledger.ts";
import { judgeChanges, type ProvingChain } from "../prove-balances.ts";
import { type ReportingPorts, reportDiffering } from "../report-commit.ts";

export type RecheckPorts = ReportingPorts & {
  chain: ProvingChain & Pick<ChainSource, "header">;
  ledger: Pick<BalanceLedger, "readUnproven" | "acceptProven">;
};

/**
 * More than ever wait in practice: movements that an endpoint invented, and wallets that were added while their block
 * was being read.
 */
const maxChanges = 256;

/**
 * One bounded step: movements that wait for their proof are compared with the balances again. Those that add up now,
 * or that no endpoint has balances for any more, are confirmed as if they had added up at once; the others are
 * reported again. Safe to repeat.
 */
export async function recheckBalances(
  ports: RecheckPorts,
  chainName: string,
): Promise<{ waiting: number; accepted: number }> {
  const { chain, ledger, log } = ports;
  const rows = await ledger.readUnproven(chainName, maxChanges);
  if (rows.length === 0) return { waiting: 0, accepted: 0 };
  const { settled, differing } = chain.seesEveryMove()
    ? await judgeRows(chain, rows)
    : { settled: rows, differing: [] };
  await reportDiffering(ports, chainName, differing);
  const waiting = rows.length - settled.length;
  if (settled.length === 0) return { waiting, accepted: 0 };
  const changes = settled.map(({ walletId, block }) => ({ walletId, blockHash: block.hash }));
  const outcome = await ledger.acceptProven(chainName, changes);
  log.info({ chain: chainName, ...outcome }, "balances.proved");
  return { waiting, accepted: outcome.accepted };
}

async function judgeRows(
  chain: RecheckPorts["chain"],
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
  for (const [change, verdict] of await judgeChanges(chain, changes)) {
    if (verdict.kind === "differs") differing.push({ ...change, ...verdict });
    else settled.push(change);
  }
  return { settled, differing };
}
