import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";

/** The time between two log lines. */
const lineEveryMs = 5_000;

/** The weight of the newest commit in the rate. About the last twelve commits matter. */
const newestWeight = 0.15;

type Step = { from: bigint; to: bigint; target: bigint };

/**
 * Logs the progress of a catch-up every few seconds: the block, the rate, and the time left. At its
 * end, logs how long it took.
 */
export function createProgressLog(
  ports: { clock: Clock; log: Logger },
  chainName: string,
): { committed: (step: Step) => void } {
  const { clock, log } = ports;
  let started: { atMs: number; from: bigint } | null = null;
  let lastMs = 0;
  let loggedMs = 0;
  let perSecond: number | null = null;

  return {
    committed({ from, to, target }) {
      const now = clock.elapsed();
      if (started === null) {
        started = { atMs: now, from };
        [lastMs, loggedMs, perSecond] = [now, now, null];
        log.info({ chain: chainName, from, target }, "catch_up.started");
      } else {
        const rate = (Number(to - from) + 1) / (Math.max(1, now - lastMs) / 1_000);
        perSecond = perSecond === null ? rate : perSecond + newestWeight * (rate - perSecond);
        lastMs = now;
      }
      if (to >= target) {
        const blocks = to - started.from + 1n;
        const tookMs = now - started.atMs;
        log.info({ chain: chainName, blocks, position: to, tookMs }, "catch_up.finished");
        started = null;
      } else if (now - loggedMs >= lineEveryMs) {
        loggedMs = now;
        const leftBlocks = target - to;
        const leftSeconds = perSecond === null ? null : Math.ceil(Number(leftBlocks) / perSecond);
        const blocksPerSecond = perSecond === null ? null : Math.round(perSecond);
        const fields = { position: to, target, leftBlocks, blocksPerSecond, leftSeconds };
        log.info({ chain: chainName, ...fields }, "catch_up.progress");
      }
    },
  };
}
