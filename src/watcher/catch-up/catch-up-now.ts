import type { ConfirmationPolicy } from "../../domain/chain/confirmation.ts";
import { type FaultCode, faultIn } from "../../domain/fault.ts";
import type { BalanceLedger } from "../../domain/watch/watcher-ledger.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { StepResult } from "../../runtime/loop.ts";
import { readTarget, type TargetChain } from "../gate/target-height.ts";
import type { WatchLease } from "../lease.ts";

export type CatchUpProgress = { from: bigint; position: bigint; target: bigint };

/**
 * The result of a catch-up: the position before and after. `target`: the chain's confirmed height
 * at the start.
 */
export type CatchUpNowOutcome = { from: bigint; to: bigint; target: bigint };

type Ports = {
  chain: TargetChain;
  ledger: Pick<BalanceLedger, "readPosition">;
  /** See BlockStep. */
  step: { run: () => Promise<StepResult> };
  lease: Omit<WatchLease, "keep">;
  clock: Clock;
};

/** The pause between two looks at another process's progress, and before the first retry. */
const pauseMs = 500;

/**
 * The catch-up fails after this many failures in a row, about 15 s, even if they may be temporary.
 */
const maxFailures = 5;
const passingCodes = new Set<FaultCode>([
  "rpc_unavailable",
  "rpc_inconsistent",
  "database_unavailable",
]);

/**
 * Reads a chain up to the height that is confirmed when this begins. If a watcher has the chain's
 * lease, it does the work, and this follows its progress. Even if both work, nothing is written
 * twice. Safe to interrupt at any time, and to repeat.
 * @throws the fifth failure of the chain or the ledger in a row; the first if waiting cannot help
 */
export async function catchUpNow(
  ports: Ports,
  of: { chainName: string; policy: ConfirmationPolicy },
  onProgress: (progress: CatchUpProgress) => void,
): Promise<CatchUpNowOutcome> {
  const { chain, ledger, step, lease, clock } = ports;
  const { chainName, policy } = of;
  const begun = await ledger.readPosition(chainName);
  const { number: target } = await readTarget(chain, policy, begun?.number ?? 0n);
  const never = new AbortController().signal;
  let from: bigint | null = null;
  let failures = 0;
  try {
    for (;;) {
      const position = await ledger.readPosition(chainName);
      if (position !== null) {
        from ??= position.number;
        onProgress({ from, position: position.number, target });
        if (position.number >= target) return { from, to: position.number, target };
      }
      try {
        const isOurs = await lease.take();
        const result = isOurs ? await step.run() : "idle";
        failures = 0;
        if (result !== "again") await clock.sleep(pauseMs, never);
      } catch (error) {
        const code = faultIn(error)?.code;
        failures += 1;
        if (code === undefined || !passingCodes.has(code) || failures >= maxFailures) throw error;
        await clock.sleep(pauseMs * 2 ** failures, never);
      }
    }
  } finally {
    await lease.release().catch(() => {});
  }
}
