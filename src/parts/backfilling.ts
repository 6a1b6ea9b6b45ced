import { randomUUID } from "node:crypto";
import type { ChainConfig } from "../config.ts";
import { Fault } from "../domain/fault.ts";
import { createWatching } from "../ledger/watching.ts";
import type { OpenLedger } from "../open-ledger.ts";
import { systemClock as clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { type BackfillOutcome, type BackfillProgress, backfill } from "../watcher/backfill.ts";
import { createBlockStep } from "../watcher/block-step.ts";
import { createWatchLease } from "../watcher/lease.ts";
import { openMetrics } from "./measuring.ts";
import { openSource } from "./watching.ts";

/** Catches one configured chain up in the foreground. See backfill. */
export type Backfill = (
  chainName: string,
  onProgress: (progress: BackfillProgress) => void,
) => Promise<BackfillOutcome>;

/** However little is missing, it is read by ranges: nobody waits for pending events. */
const farBlocks = 0n;

export function createBackfill({ config, db }: OpenLedger, log: Logger): Backfill {
  return async (chainName, onProgress) => {
    const chain = config.chains.find(({ name }) => name === chainName);
    if (chain === undefined) {
      throw new Fault("chain_not_found", `There is no chain '${chainName}' in the configuration.`);
    }
    const source = openSource({ log, metrics: openMetrics({ db }) }, chain);
    try {
      const ledger = createWatching(db);
      const step = createBlockStep(
        { chain: source, ledger, log, clock, onCommitted() {} },
        stepOptions(chain),
      );
      const lease = createWatchLease(
        { ledger, clock },
        { name: `watcher:${chainName}`, holder: randomUUID() },
      );
      const of = { chainName, policy: chain.confirmations };
      return await backfill({ chain: source, ledger, step, lease, clock }, of, onProgress);
    } finally {
      source.close();
    }
  };
}

function stepOptions({ name, chainId, startBlock, confirmations }: ChainConfig) {
  return { chainName: name, chainId, startBlock, policy: confirmations, farBlocks };
}
