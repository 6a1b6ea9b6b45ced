import type {
  ChangeCursor,
  WaitingChange,
  WaitingChanges,
} from "../../domain/money/balance-change.ts";
import { type AssetAddress, nativeAddress } from "../../domain/money/movement.ts";
import type { Spans } from "../../domain/spans.ts";
import type { BalanceLedger } from "../../domain/watch/watcher-ledger.ts";
import type { Clock } from "../../runtime/clock.ts";
import { askAgain } from "../ask-again.ts";
import type { Rounds } from "../gate/rounds.ts";
import { judgeWaiting, type WaitingPorts, watchedIn } from "../judge-waiting.ts";
import { type ReportingPorts, reportDiffering } from "../report-commit.ts";
import { measure, reportConfirmed } from "../report-spans.ts";
import { reread } from "../reread.ts";

export type RecheckPorts = ReportingPorts &
  Omit<WaitingPorts, "gate"> & {
    rounds: Rounds<ChangeCursor>;
    ledger: Pick<BalanceLedger, "readUnproven" | "acceptProven" | "replaceRead">;
    clock: Clock;
    spans: Spans;
  };

/**
 * Changes of one step. Few wait in practice: movements that an endpoint invented, and wallets that
 * were added while their block was being read.
 */
const changesPerStep = 256;

/**
 * One bounded step: compares movements that wait for their proof with the balances, and with other
 * hosts' traces, again. Movements that are shown now, or have waited for long enough, are confirmed
 * as if they had been shown at once. The blocks of the others are read again. Where two readings
 * add up, the movements in them replace those that are written. The remaining ones are reported
 * again. A step goes on behind the changes of the step before. Safe to repeat.
 * @returns of this step's changes, how many still wait and how many movements were accepted;
 * `isRoundOver`: none waits behind them
 */
export async function recheckBalances(
  ports: RecheckPorts,
  chainName: string,
): Promise<{ waiting: number; accepted: number; isRoundOver: boolean }> {
  return ports.rounds.step(
    (after) => ports.ledger.readUnproven(chainName, { after, limit: changesPerStep }),
    async ({ changes, next }: WaitingChanges) => ({
      ...(await recheckAll(ports, chainName, changes)),
      isRoundOver: next === null,
    }),
  );
}

async function recheckAll(
  ports: RecheckPorts,
  chainName: string,
  rows: readonly WaitingChange[],
): Promise<{ waiting: number; accepted: number }> {
  const { ledger, log } = ports;
  const judging = { chain: ports.chain, gate: ports.rounds.gate };
  const { settled, differing, misread } = await judgeWaiting(judging, { chainName, rows });
  const left = await rereadAll(ports, chainName, differing);
  const notMended = await rereadAll(ports, chainName, misread);
  const replaced = differing.length - left.length + misread.length - notMended.length;
  await reportDiffering(ports, chainName, left);
  const waiting = rows.length - settled.length - replaced;
  if (settled.length === 0) return { waiting, accepted: replaced };
  const changes = settled.map(({ change: { walletId, block }, isAgreed, isAlone }) => ({
    walletId,
    blockHash: block.hash,
    isAgreed,
    isAlone,
  }));
  const written = measure(ports.clock);
  const { confirmedIds, ...counts } = await ledger.acceptProven(chainName, changes);
  reportConfirmed(ports.spans, { chainName, tip: null, commit: written(), confirmedIds });
  for (const { change, isAgreed, isAlone } of settled) {
    const { walletId, block } = change;
    const by = isAlone ? "patience" : isAgreed ? "traces" : "balances";
    const fields = { walletId, block: block.number, hash: block.hash, by };
    log.info({ chain: chainName, ...fields }, "movements.settled");
  }
  log.info({ chain: chainName, ...counts }, "balances.proved");
  return { waiting, accepted: counts.accepted + replaced };
}

/**
 * Each block is read again for each wallet. Answers those of which nothing was replaced: a block
 * that endpoints do not give keeps no other change waiting.
 */
async function rereadAll<Change extends WaitingChange>(
  ports: RecheckPorts,
  chainName: string,
  changes: readonly Change[],
): Promise<Change[]> {
  const left: Change[] = [];
  for (const change of changes) {
    const { walletId, walletAddress, assetId, block } = change;
    const assetAddress: AssetAddress = nativeAddress;
    const balance = { walletId, walletAddress, assetId, assetAddress };
    const written = { ...change, areUnproven: true };
    const asked = { chainName, block, balance, written, list: watchedIn(change) };
    const read = await askAgain(reread(ports, asked));
    if (read.kind !== "read" || !read.answer) left.push(change);
  }
  return left;
}
