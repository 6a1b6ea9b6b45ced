import { type FaultCode, faultIn } from "../domain/fault.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { createLoop, type StepResult } from "../runtime/loop.ts";
import type { Service } from "../runtime/service.ts";
import {
  type BlockChain,
  type BlockLedger,
  type BlockStepOptions,
  createBlockStep,
} from "./block-step.ts";
import type { WatchLease } from "./lease.ts";
import { readOpenings } from "./read-openings.ts";

type OpeningPorts = Parameters<typeof readOpenings>[0];

export type WatcherOptions = BlockStepOptions & {
  /** ms between two looks at the head while nothing is announced. */
  pollMs: number;
};

/** A failing step is tried again after at most this: an endpoint that is back is used soon. */
const maxBackoffMs = 10_000;

/** A watcher whose steps have failed this long is not ready. */
const stuckAfterMs = 20_000;

/** What keeps a chain stopped until the operator, or the right endpoint, mends it. */
const stoppingCodes = new Set<FaultCode>(["wrong_chain_id", "wrong_genesis", "chain_stopped"]);

/**
 * Watches one chain: two loops around bounded steps, one for blocks and one for opening balances, so that slow
 * balance reads never delay a deposit. `start` refuses an endpoint of another chain at once (Faults `wrong_chain_id`,
 * `wrong_genesis`); one that does not answer is waited for.
 */
export function createWatcher(
  ports: {
    chain: BlockChain & OpeningPorts["chain"] & { onAnnounced: (wake: () => void) => () => void };
    ledger: BlockLedger & OpeningPorts["ledger"];
    lease: WatchLease;
    clock: Clock;
    log: Logger;
  },
  options: WatcherOptions,
): Service {
  const { chain, ledger, lease, clock, log } = ports;
  const { chainName, pollMs } = options;
  const common = { clock, pollMs, maxBackoffMs, stuckAfterMs };
  let stopListening = () => {};

  const onCommitted = () => openings.wake();
  const step = createBlockStep({ chain, ledger, log, clock, onCommitted }, options);
  const blocks = createLoop({
    ...common,
    name: `watcher:${chainName}`,
    step: async () => ((await lease.take()) ? step.run() : "idle"),
    onError(error, failures) {
      step.distrust();
      log.warn({ chain: chainName, failures, error }, "watcher.step_failed");
      tellStopped(error);
    },
  });
  const openings = createLoop({
    ...common,
    name: `openings:${chainName}`,
    async step(): Promise<StepResult> {
      if (!step.isIdentified()) return "idle";
      const { due, recorded } = await readOpenings(ports, chainName);
      if (recorded > 0) log.info({ chain: chainName, due, recorded }, "openings.recorded");
      return recorded > 0 ? "again" : "idle";
    },
    onError: (error, failures) =>
      log.warn({ chain: chainName, failures, error }, "openings.step_failed"),
  });

  function tellStopped(error: unknown): void {
    const fault = faultIn(error);
    if (fault === undefined || !stoppingCodes.has(fault.code)) return;
    // It only informs other processes; that the database is out of reach is told by the next step.
    ledger.markStopped(chainName, { code: fault.code, reason: fault.message }).catch(() => {});
  }

  return {
    name: `watcher:${chainName}`,
    async start() {
      try {
        await step.identify();
      } catch (error) {
        if (faultIn(error)?.code !== "rpc_unavailable") throw error;
        log.warn({ chain: chainName, error }, "endpoint.unavailable");
      }
      stopListening = chain.onAnnounced(blocks.wake);
      await Promise.all([blocks.start(), openings.start()]);
    },
    async stop() {
      stopListening();
      await Promise.all([blocks.stop(), openings.stop()]);
      await lease
        .release()
        .catch((error: unknown) => log.debug({ chain: chainName, error }, "lease.not_released"));
    },
    trouble: () => blocks.trouble() ?? openings.trouble(),
  };
}
