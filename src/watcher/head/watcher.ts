import type { WaitingWork } from "../../domain/chain/chain-state.ts";
import { faultIn } from "../../domain/fault.ts";
import type { BalanceKey } from "../../domain/money/balance.ts";
import type { ChangeCursor } from "../../domain/money/balance-change.ts";
import type { Spans } from "../../domain/spans.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";
import type { BalanceLedger } from "../../domain/watch/watcher-ledger.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import { createLoop, type StepResult } from "../../runtime/loop.ts";
import type { Service } from "../../runtime/service.ts";
import { createRounds } from "../gate/rounds.ts";
import type { WitnessGate } from "../gate/witness-gate.ts";
import { keepMs, type WatchLease } from "../lease.ts";
import type { BlockChain, BlockLedger, BlockStepOptions, Ports as BlockStepPorts } from "./act.ts";
import { createBlockStep } from "./block-step.ts";
import { readOpenings } from "./read-openings.ts";
import { type RecheckPorts, recheckBalances } from "./recheck-balances.ts";
import { createStopJudge } from "./stop-judge.ts";

export type WatcherOptions = BlockStepOptions & {
  /** ms between two looks at the head while nothing is announced. */
  pollMs: number;
};

/**
 * A failing step is tried again after at most this, so that an endpoint that is back is used soon.
 */
const maxBackoffMs = 10_000;

/** A watcher whose steps have failed this long is not ready. */
const stuckAfterMs = 20_000;

/**
 * Movements that are still unproven are compared again after this: soon at first, since an endpoint
 * may be a moment behind.
 */
const recheckMs = { first: 1_000, last: 60_000 };

/** While work waits beside new blocks, its loops are told so this often at most, in ms. */
const tellMs = 900;

/** The loop for balances looks by itself after this. A look at the chain tells it before. */
const restMs = 60_000;

/**
 * Watches one chain: loops around bounded steps, one for blocks and one for balances, so that slow
 * balance reads never delay a deposit. `start` refuses an endpoint of another chain at once (Faults
 * `wrong_chain_id`, `wrong_genesis`), and waits for a silent one.
 */
export function createWatcher(
  ports: {
    chain: BlockChain & Pick<ChainSource, "onAnnounced">;
    gate: WitnessGate;
    ledger: BlockLedger & BalanceLedger;
    lease: WatchLease;
    clock: Clock;
    log: Logger;
    spans: Spans;
    /** Called when deliveries have been written. Without it they are found too, a little later. */
    onNotified: () => void;
    /** Called while such work waits. Without it that is found too, some seconds later. */
    onWaiting: (waiting: WaitingWork) => void;
  },
  options: WatcherOptions,
): Service {
  const { chain, gate, ledger, lease, clock, log, onNotified } = ports;
  const { chainName, pollMs } = options;
  const common = { clock, pollMs, maxBackoffMs, stuckAfterMs };
  const announcements = createListening(() => chain.onAnnounced(blocks.wake));
  const recheck = createRecheck(ports, chainName);
  const openings = { chain, ledger, rounds: createRounds<BalanceKey>(gate) };
  let toldMs = Number.NEGATIVE_INFINITY;

  const onCommitted: BlockStepPorts["onCommitted"] = ({ notified, recorded }) => {
    if (notified > 0) onNotified();
    if (recorded > 0) recheck.noteUnproven();
    if (notified + recorded > 0) balances.wake();
  };
  const onLooked: BlockStepPorts["onLooked"] = (waiting) => {
    // On a fast chain every block is looked at.
    if (clock.elapsed() - toldMs < Math.min(pollMs, tellMs)) return;
    toldMs = clock.elapsed();
    if (waiting.unproven) recheck.noteUnproven();
    if (waiting.openings || waiting.unproven) balances.wake();
    ports.onWaiting(waiting);
  };
  const judge = createStopJudge({ ledger, clock, log }, chainName);
  const onProgress = judge.wentOn;
  const step = createBlockStep(
    { chain, gate, ledger, log, spans: ports.spans, clock, onCommitted, onLooked, onProgress },
    options,
  );
  const blocks = createLoop({
    ...common,
    name: `watcher:${chainName}`,
    async step() {
      if (await lease.take()) {
        announcements.listen();
        return step.run();
      }
      announcements.stop();
      judge.wentOn();
      return "idle";
    },
    onError: judge.failed,
  });
  const balances = createLoop({
    ...common,
    name: `balances:${chainName}`,
    async step(): Promise<StepResult> {
      // A process that only stands by asks the endpoints nothing.
      if (!step.isIdentified() || !(await lease.take())) return { idleMs: restMs };
      // Held deposits first: an import may open balances for hours.
      const isProved = await recheck.run();
      const { due, recorded, made } = await readOpenings(openings, chainName);
      if (made !== null) log.info({ chain: chainName, ...made }, "asset.opening");
      if (recorded > 0) log.info({ chain: chainName, due, recorded }, "openings.recorded");
      return recorded > 0 || made !== null || isProved ? "again" : { idleMs: restMs };
    },
    onError: (error, failures) =>
      log.warn({ chain: chainName, failures, error }, "balances.step_failed"),
  });

  // A block that takes long, and a pause after a failure, cost the watcher its lease otherwise.
  const keeping = createLoop({
    ...common,
    name: `lease:${chainName}`,
    async step() {
      await lease.keep();
      return { idleMs: keepMs };
    },
    // The loop for blocks reports the same.
    onError() {},
  });

  return {
    name: `watcher:${chainName}`,
    async start() {
      try {
        await step.identify();
      } catch (error) {
        if (faultIn(error)?.code !== "rpc_unavailable") throw error;
        log.warn({ chain: chainName, error }, "endpoint.unavailable");
      }
      announcements.listen();
      await Promise.all([blocks.start(), balances.start(), keeping.start()]);
    },
    async stop() {
      announcements.stop();
      // A question under way would take the lease again.
      await Promise.all([blocks.stop(), balances.stop(), keeping.stop()]);
      await lease
        .release()
        .catch((error: unknown) => log.debug({ chain: chainName, error }, "lease.not_released"));
    },
    trouble: () => judge.trouble() ?? blocks.trouble() ?? balances.trouble(),
  };
}

/**
 * A process that only stands by listens to nothing: it would keep a connection, which a provider
 * counts. Both are safe to repeat.
 */
function createListening(begin: () => () => void): { listen: () => void; stop: () => void } {
  let end: (() => void) | null = null;
  return {
    listen() {
      end ??= begin();
    },
    stop() {
      end?.();
      end = null;
    },
  };
}

/** When the movements that wait for their proof are compared again. */
function createRecheck(
  ports: Omit<RecheckPorts, "rounds"> & { gate: WitnessGate },
  chainName: string,
) {
  const { clock } = ports;
  const rechecked = { ...ports, rounds: createRounds<ChangeCursor>(ports.gate) };
  let next = { dueMs: 0, afterMs: recheckMs.first, waiting: 0 };
  /** Of the steps of this round. */
  let round = { waiting: 0, accepted: 0 };
  let isAnyNew = false;
  return {
    /** Some may wait. Where others did before, their own time goes on. */
    noteUnproven() {
      isAnyNew = true;
    },
    /** Compares the next of them if that is due. Answers true if a movement has found its proof. */
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
