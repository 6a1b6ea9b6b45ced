import type { WaitingWork } from "../../domain/chain/chain-state.ts";
import { faultIn } from "../../domain/fault.ts";
import type { BalanceKey } from "../../domain/money/balance.ts";
import type { Spans } from "../../domain/spans.ts";
import type { AgreementGate } from "../../domain/watch/agreement-gate.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";
import type { BalanceLedger } from "../../domain/watch/watcher-ledger.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import { createLoop, type StepResult } from "../../runtime/loop.ts";
import type { Service } from "../../runtime/service.ts";
import { createRounds } from "../gate/rounds.ts";
import { keepMs, type WatchLease } from "../lease.ts";
import type { BlockChain, BlockLedger, BlockStepOptions, Ports as BlockStepPorts } from "./act.ts";
import { createBlockStep } from "./block-step.ts";
import { createWay } from "./give-way.ts";
import { readOpenings } from "./read-openings.ts";
import { createRecheck } from "./recheck-balances.ts";
import { createStopJudge } from "./stop-judge.ts";

export type WatcherOptions = BlockStepOptions & {
  /** The time between two looks at the head while no head is announced, in ms. */
  pollMs: number;
};

/**
 * The longest pause before a failed step is tried again, so that an endpoint that works again is
 * used soon.
 */
const maxBackoffMs = 10_000;

/** A watcher is not ready after its steps have failed for this time. */
const stuckAfterMs = 20_000;

/** The other loops are told of waiting work at most this often, in ms. */
const tellMs = 900;

/**
 * The loop for balances looks by itself after this time. Usually a look at the chain wakes it
 * earlier.
 */
const restMs = 60_000;

/**
 * Watches one chain with loops of bounded steps, one for blocks and one for balances. So slow reads
 * of balances do not delay a deposit. A third loop keeps the lease. `start` refuses an endpoint of
 * another chain at once (Faults `wrong_chain_id`, `wrong_genesis`). It does not fail for a silent
 * endpoint, and waits.
 */
export function createWatcher(
  ports: {
    chain: BlockChain & Pick<ChainSource, "onAnnounced">;
    gate: AgreementGate;
    ledger: BlockLedger & BalanceLedger;
    lease: WatchLease;
    clock: Clock;
    log: Logger;
    spans: Spans;
    /** Called when deliveries were written. Without this call they are found a little later. */
    onNotified: () => void;
    /** Called while other work waits. Without this call it is found some seconds later. */
    onWaiting: (waiting: WaitingWork) => void;
  },
  options: WatcherOptions,
): Service {
  const { chain, gate, ledger, lease, clock, log, onNotified } = ports;
  const { chainName, pollMs } = options;
  const common = { clock, pollMs, maxBackoffMs, stuckAfterMs };
  const announcements = createListening(() => chain.onAnnounced(blocks.wake));
  const recheck = createRecheck(ports, { chainName, restMs });
  const rounds = createRounds<BalanceKey>(gate);
  const way = createWay(clock);
  let toldMs = Number.NEGATIVE_INFINITY;
  let restedMs = Number.NEGATIVE_INFINITY;

  const onCommitted: BlockStepPorts["onCommitted"] = ({ notified, recorded }) => {
    if (notified > 0) {
      way.noteNotified();
      onNotified();
    }
    if (recorded > 0) recheck.noteUnproven();
    if (notified + recorded > 0) balances.wake();
  };
  const onLooked: BlockStepPorts["onLooked"] = (waiting) => {
    // On a fast chain, other work is looked for at every block.
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
        return way.goFirst(step.run);
      }
      announcements.stop();
      judge.wentOn();
      gate.forget();
      return "idle";
    },
    onError: judge.failed,
  });
  const balances = createLoop({
    ...common,
    name: `balances:${chainName}`,
    async step(signal): Promise<StepResult> {
      // A standby process sends no requests to the endpoints.
      if (!step.isIdentified() || !(await lease.take())) return { idleMs: restMs };
      // Held deposits come first: after an import, reading opening balances may take hours.
      const isProved = await recheck.run();
      // Each block wakes this loop. Its notifications come before the next openings.
      const leftMs = restedMs - clock.elapsed();
      if (leftMs > 0) return isProved ? "again" : { idleMs: leftMs };
      const openings = { chain, ledger, rounds, giveWay: () => way.giveWay(signal) };
      await openings.giveWay();
      const beganMs = clock.elapsed();
      const { due, recorded, made } = await readOpenings(openings, chainName);
      if (made !== null) log.info({ chain: chainName, ...made }, "asset.opening");
      if (recorded > 0) log.info({ chain: chainName, due, recorded }, "openings.recorded");
      if (recorded === 0 && made === null) return isProved ? "again" : { idleMs: restMs };
      // Rests as long as the step took, so that blocks and deliveries have half of the time.
      restedMs = 2 * clock.elapsed() - beganMs;
      return "again";
    },
    onError: (error, failures) =>
      log.warn({ chain: chainName, failures, error }, "balances.step_failed"),
  });

  // Renews the lease during a long block, and during a pause after a failure.
  const keeping = createLoop({
    ...common,
    name: `lease:${chainName}`,
    async step() {
      await lease.keep();
      return { idleMs: keepMs };
    },
    // The loop for blocks reports the same error.
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
      // All loops stop before the release, because a request under way would take the lease again.
      await Promise.all([blocks.stop(), balances.stop(), keeping.stop()]);
      await lease
        .release()
        .catch((error: unknown) => log.debug({ chain: chainName, error }, "lease.not_released"));
    },
    trouble: () => judge.trouble() ?? blocks.trouble() ?? balances.trouble(),
  };
}

/**
 * Listens only in the process that works: a standby process would use a connection, which a
 * provider counts. Both functions are safe to repeat.
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
