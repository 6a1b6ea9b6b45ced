import type { StepResult } from "../../runtime/loop.ts";
import { createProgressLog } from "../catch-up/report-progress.ts";
import { type Action, type At, act, type BlockStepOptions, type Ports, type Step } from "./act.ts";
import { decide, type Next, type Now, nothingSeen } from "./decide.ts";

export type BlockStep = {
  /**
   * One bounded step. Decides on the next action, carries it out, and remembers the new place of
   * the chain. Repeats this until something was written, or there is something to wait for. After a
   * failure the place is unknown. Safe to repeat at any time.
   */
  run: () => Promise<StepResult>;
  /**
   * Asks the endpoint which chain it serves, before any of its answers is used. A new chain gets
   * its first position, if it can. So a wallet that is added afterwards is watched from its
   * addition.
   */
  identify: () => Promise<void>;
  /** True if the endpoint's chain has been checked since the last failure. */
  isIdentified: () => boolean;
};

/**
 * Fewer blocks than this are written one by one. Ranges would save some seconds, but skip the
 * pending events.
 */
const usualFarBlocks = 256n;

/** Makes the bounded step of one chain's watcher. */
export function createBlockStep(ports: Ports, options: BlockStepOptions): BlockStep {
  const { chainName, policy, farBlocks = usualFarBlocks } = options;
  const progress = createProgressLog(ports, chainName);
  const step: Step = { ports, options: { ...options, farBlocks }, progress, list: null };
  const rules = { policy, farBlocks };
  let at: At = { head: { kind: "unknown" }, seen: nothingSeen };

  function moveTo(next: At): void {
    const { head } = at;
    const isKept = next.head.kind === "catching_up" && head.kind === "catching_up";
    if (head.kind === "catching_up" && !isKept) head.stretch.ahead.close();
    at = next;
  }

  async function attempt(next: Action): Promise<void> {
    try {
      moveTo(await act(step, at, next));
    } catch (error) {
      // A failure to read the next block must not delay the batch. After the batch is written it
      // fails again, and is reported.
      if (at.head.kind !== "batching" || next.kind === "commit") {
        moveTo({ head: { kind: "unknown" }, seen: nothingSeen });
        throw error;
      }
      moveTo({ ...at, seen: { ...at.seen, hasFailed: true } });
    }
  }

  function rest({ ms, why }: Extract<Next, { kind: "wait" }>): StepResult {
    const { head, seen } = at;
    if (why === "lagging" && head.kind !== "unknown") {
      const fields = { position: head.tip.number, head: seen.head?.number };
      ports.log.debug({ chain: chainName, ...fields }, "endpoint.lagging");
    }
    moveTo({ head, seen: nothingSeen });
    return ms === null ? "idle" : { idleMs: ms };
  }

  return {
    async run() {
      for (;;) {
        const next = decide(at.head, at.seen, currently(ports), rules);
        if (next.kind === "wait") return rest(next);
        await attempt(next);
        // Something was written or batched, so what was seen before is outdated.
        if (!at.seen.hasLooked) return "again";
      }
    },
    async identify() {
      await attempt({ kind: "look", beside: "nothing" });
      const { head, seen } = at;
      // Where this fails, the loop tries again, and reports it.
      if (head.kind === "unknown" && seen.state !== null)
        await attempt({ kind: "start" }).catch(() => {});
      moveTo({ ...at, seen: nothingSeen });
    },
    isIdentified: () => at.head.kind !== "unknown",
  };
}

function currently({ chain, clock }: Ports): Now {
  return { ms: clock.elapsed(), announced: chain.announcedHead(), quietMs: chain.quietMs() };
}
