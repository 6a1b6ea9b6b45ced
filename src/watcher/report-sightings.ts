import type { Address } from "../domain/chain/address.ts";
import type { ChainSource } from "../domain/watch/chain-source.ts";
import type { SightingLedger } from "../domain/watch/watcher-ledger.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { createLoop, type Loop, type StepResult } from "../runtime/loop.ts";
import { withTimeout } from "../runtime/with-timeout.ts";
import type { WatchLease } from "./lease.ts";

type Ports = {
  chain: Pick<ChainSource, "tokenSymbol">;
  ledger: SightingLedger;
  clock: Clock;
  log: Logger;
};

/** The number of sightings that one step reports. */
const limit = 50;

/** The limit for reading one contract's symbol. */
const timeoutMs = 5_000;

/** The loop looks by itself after this time. Sightings that wait to be reported wake it earlier. */
const restMs = 60_000;
/** The first pause after a failure, and the longest. */
const pollMs = 2_000;
const maxBackoffMs = 60_000;

/**
 * Reports the sightings of one chain whose blocks are confirmed. Asks each contract for its symbol,
 * without delaying commits. A contract that does not answer has no symbol. Notifies the webhooks
 * that asked for such events. Safe to repeat.
 * @returns how many were reported
 */
export async function reportSightingsStep(
  { chain, ledger, clock, log }: Ports,
  chainName: string,
): Promise<number> {
  const sightings = await ledger.readUnreported(chainName, limit);
  if (sightings.length === 0) return 0;
  const contracts = [...new Set(sightings.map(({ contract }) => contract))];
  const symbolOf = async (contract: Address) => {
    try {
      const asked = await withTimeout(chain.tokenSymbol(contract), { timeoutMs, clock });
      return [contract, asked.kind === "done" ? asked.value : null] as const;
    } catch (error) {
      log.debug({ chain: chainName, contract, error }, "symbol.not_read");
      return [contract, null] as const;
    }
  };
  const symbols = new Map(await Promise.all(contracts.map(symbolOf)));
  await ledger.reportSightings(
    chainName,
    sightings.map(({ id, contract }) => ({ id, symbol: symbols.get(contract) ?? null })),
  );
  return sightings.length;
}

/** Does this in its own loop, so that it does not delay new blocks. Never in trouble. */
export function createSightingReporter(
  ports: Ports & { lease: Pick<WatchLease, "take"> },
  chainName: string,
): Loop {
  const { lease, clock, log } = ports;
  const idle = { idleMs: restMs };

  async function step(): Promise<StepResult> {
    if (!(await lease.take())) return idle;
    return (await reportSightingsStep(ports, chainName)) === limit ? "again" : idle;
  }

  return createLoop({
    name: `sightings:${chainName}`,
    step,
    onError: (error, failures) =>
      log.warn({ chain: chainName, failures, error }, "sightings.step_failed"),
    clock,
    pollMs,
    maxBackoffMs,
    stuckAfterMs: null,
  });
}
