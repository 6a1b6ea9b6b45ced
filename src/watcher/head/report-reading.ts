import type { ChainReading } from "../../domain/chain/chain-status.ts";
import { remedyOf } from "../../domain/remedy.ts";
import type { AgreementGate } from "../../domain/watch/agreement-gate.ts";
import type { ChainSource } from "../../domain/watch/chain-source.ts";
import type { HeadLedger } from "../../domain/watch/watcher-ledger.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Logger } from "../../runtime/logger.ts";
import { createLoop } from "../../runtime/loop.ts";
import type { Service } from "../../runtime/service.ts";
import type { WatchLease } from "../lease.ts";

/** Often enough for a person who watches the status, and rare enough to cost almost nothing. */
const reportEveryMs = 5_000;

/**
 * The report asks for the head if the watcher has not done so for this time. A watcher that catches
 * up, or is stuck, does not ask.
 */
const askAfterMs = 15_000;

const warnEveryMs = 86_400_000;

/**
 * Stores every few seconds how a chain is being read, so that any process can show it. Never in
 * trouble, since it only informs.
 */
export function createReadingReporter(
  ports: {
    chain: Pick<ChainSource, "status" | "head">;
    gate: Pick<AgreementGate, "held">;
    ledger: Pick<HeadLedger, "writeReading" | "noteLag">;
    lease: Pick<WatchLease, "take">;
    clock: Clock;
    log: Logger;
  },
  chainName: string,
): Service {
  const { chain, gate, ledger, lease, clock, log } = ports;
  let warnedMs = Number.NEGATIVE_INFINITY;

  /** Warns once a day, and when a process starts. */
  function warnOfUpgrade({ upgrade }: ChainReading): void {
    if (upgrade === null || clock.elapsed() - warnedMs < warnEveryMs) return;
    warnedMs = clock.elapsed();
    const { name, atMs } = upgrade;
    const fields = { chain: chainName, upgrade: name, at: new Date(atMs).toISOString() };
    log.warn({ ...fields, remedy: remedyOf("block_unreadable") }, "upgrade.not_read");
  }

  return createLoop({
    name: `reading:${chainName}`,
    async step() {
      if (!(await lease.take())) return "idle";
      const seenMs = chain.status().head?.seenMs ?? 0;
      // The report is written even if the head is not known. After the clock was set back, the last
      // head seems to be in the future. One extra request is harmless.
      if (Math.abs(clock.now() - seenMs) >= askAfterMs) await chain.head().catch(() => {});
      const reading = chain.status();
      warnOfUpgrade(reading);
      await Promise.all([
        ledger.writeReading(chainName, { ...reading, held: gate.held() }),
        ledger.noteLag(chainName, { head: reading.head, nowMs: clock.now() }),
      ]);
      return "idle";
    },
    onError: (error) => log.debug({ chain: chainName, error }, "reading.not_written"),
    clock,
    pollMs: reportEveryMs,
    maxBackoffMs: 2 * reportEveryMs,
    stuckAfterMs: null,
  });
}
