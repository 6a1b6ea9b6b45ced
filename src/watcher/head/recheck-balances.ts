import type {
  ChangeCursor,
  WaitingChange,
  WaitingChanges,
} from "../../domain/money/balance-change.ts";
import { type AssetAddress, nativeAddress } from "../../domain/money/movement.ts";
import type { Spans } from "../../domain/spans.ts";
import type { AgreementGate } from "../../domain/watch/agreement-gate.ts";
import type { BalanceLedger } from "../../domain/watch/watcher-ledger.ts";
import type { Clock } from "../../runtime/clock.ts";
import { askAgain } from "../gate/ask-again.ts";
import { createRounds, type Rounds } from "../gate/rounds.ts";
import { judgeWaiting, type WaitingPorts, watchedIn } from "../judge-waiting.ts";
import { type ReportingPorts, reportDiffering } from "../report-commit.ts";
import { measure, reportConfirmed } from "../report-spans.ts";
import { reread } from "../reread.ts";

type RecheckPorts = ReportingPorts &
  Omit<WaitingPorts, "gate"> & {
    rounds: Rounds<ChangeCursor>;
    ledger: Pick<BalanceLedger, "readUnproven" | "acceptProven" | "replaceRead">;
    clock: Clock;
    spans: Spans;
  };

/**
 * The number of changes that one step checks. In practice few wait. These are movements that an
 * endpoint invented, and those of wallets that were added while their block was read.
 */
const changesPerStep = 256;

/**
 * The pause before waiting movements are compared again. Short at first, because an endpoint may be
 * only a moment behind.
 */
const recheckMs = { first: 1_000, last: 60_000 };

/**
 * Decides when waiting movements are compared again.
 * @param of `restMs`: the time until the next look if none waits
 */
export function createRecheck(
  ports: Omit<RecheckPorts, "rounds"> & { gate: Pick<AgreementGate, "waitFor"> },
  of: { chainName: string; restMs: number },
) {
  const { chainName, restMs } = of;
  const { clock } = ports;
  const rechecked = { ...ports, rounds: createRounds<ChangeCursor>(ports.gate) };
  let next = { dueMs: 0, afterMs: recheckMs.first, waiting: 0 };
  /** Totals of the steps of this round. */
  let round = { waiting: 0, accepted: 0 };
  let isAnyNew = false;
  return {
    /** Notes that new movements may wait. If others waited before, their time is not changed. */
    noteUnproven() {
      isAnyNew = true;
    },
    /** Compares the next movements, if that is due. Returns true if a movement was proved. */
    async run(): Promise<boolean> {
      const isDue = clock.elapsed() >= next.dueMs || (isAnyNew && next.waiting === 0);
      if (!isDue) return false;
      isAnyNew = false;
      const { waiting, accepted, isRoundOver } = await recheckBalances(rechecked, chainName);
      round = { waiting: round.waiting + waiting, accepted: round.accepted + accepted };
      if (!isRoundOver) {
        const dueInMs = accepted > 0 ? 0 : recheckMs.first;
        next = { ...next, dueMs: clock.elapsed() + dueInMs };
        return accepted > 0;
      }
      const isNew = round.accepted > 0 || round.waiting > next.waiting;
      const afterMs = isNew ? recheckMs.first : Math.min(recheckMs.last, 2 * next.afterMs);
      const dueInMs = accepted > 0 ? 0 : round.waiting > 0 ? afterMs : restMs;
      next = { dueMs: clock.elapsed() + dueInMs, afterMs, waiting: round.waiting };
      round = { waiting: 0, accepted: 0 };
      return accepted > 0;
    },
  };
}

/**
 * One bounded step: compares waiting movements again with the balances, and with other hosts'
 * traces. Confirms those that are proved now, or have waited long enough. Reads the blocks of the
 * others again. If two readings add up, their movements replace the stored ones. Reports the rest
 * again. A step continues after the changes of the step before. Safe to repeat.
 * @returns for this step, how many changes still wait and how many movements were accepted;
 *   `isRoundOver`: no change waits after these
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
  const changes = settled.map(({ change: { identities, block }, isAgreed, isAlone }) => ({
    identities,
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
 * Reads the block of each change again, and returns the changes of which nothing was replaced. A
 * block that no endpoint gives does not delay other changes.
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
