import { randomUUID } from "node:crypto";
import type { ChainConfig } from "../config/config.ts";
import { noSpans } from "../domain/spans.ts";
import type { HistoryCursor, HistoryProgress } from "../domain/watch/history.ts";
import type { Database } from "../ledger/postgres/database.ts";
import { createHistoryLedger, createLeaseLedger } from "../ledger/watching.ts";
import { readHistoryProgress } from "../ledger/watchlist/request-history.ts";
import { systemClock as clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import {
  type CatchUpNowOutcome,
  type CatchUpProgress,
  catchUpNow,
} from "../watcher/catch-up/catch-up-now.ts";
import { createRounds } from "../watcher/gate/rounds.ts";
import { createBlockStep } from "../watcher/head/block-step.ts";
import { fillHistory } from "../watcher/history/fill-history.ts";
import { type FollowedHistory, followHistory } from "../watcher/history/follow-history.ts";
import { createWatchLease } from "../watcher/lease.ts";
import type { OpenLedger } from "./environment/open-ledger.ts";
import { openMetrics } from "./environment/open-metrics.ts";
import {
  configuredChain,
  type OpenChain,
  openBlockLedger,
  openChain,
  openOldBlocks,
} from "./watch-chain.ts";

/** Catches one configured chain up in the foreground. See catchUpNow. */
export type CatchUpNow = (
  chainName: string,
  onProgress: (progress: CatchUpProgress) => void,
) => Promise<CatchUpNowOutcome>;

/** Waits until a wallet's requested history is read. See followHistory. */
export type FollowHistory = (
  walletId: string,
  onProgress: (progress: HistoryProgress) => void,
) => Promise<FollowedHistory>;

/** Zero: even a few missing blocks are read by ranges, because nobody waits for pending events. */
const farBlocks = 0n;

export function createCatchUpNow({ config, db }: OpenLedger, log: Logger): CatchUpNow {
  return async (chainName, onProgress) => {
    const chain = configuredChain(config, chainName);
    const { source, gate } = openChain({ db, log, metrics: openMetrics({ db }) }, chain);
    try {
      const ledger = openBlockLedger(db);
      const step = createBlockStep(
        {
          chain: source,
          gate,
          ledger,
          log,
          clock,
          spans: noSpans,
          onCommitted() {},
          onLooked() {},
          onProgress() {},
        },
        stepOptions(chain),
      );
      const lease = leaseOf(db, chainName);
      const of = { chainName, policy: chain.confirmations };
      return await catchUpNow({ chain: source, ledger, step, lease, clock }, of, onProgress);
    } finally {
      source.close();
    }
  };
}

export function createFollowHistory({ config, db }: OpenLedger, log: Logger): FollowHistory {
  return async (walletId, onProgress) => {
    const { chainName } = await readHistoryProgress(db, walletId);
    const chain = configuredChain(config, chainName);
    // The local chain of development mode has no endpoint unless its daemon runs.
    const hasEndpoint = chain.rpcUrls.length > 0;
    const open = hasEndpoint ? openChain({ db, log, metrics: openMetrics({ db }) }, chain) : null;
    try {
      const ports = {
        readProgress: () => readHistoryProgress(db, walletId),
        fill: open === null ? null : fillerOf({ ...open, name: chainName, db, log }),
        lease: leaseOf(db, chainName),
        clock,
      };
      return await followHistory(ports, onProgress);
    } finally {
      open?.source.close();
    }
  };
}

/** Reads a chain's histories in this process, step by step. */
function fillerOf(of: OpenChain & { name: string; db: Database; log: Logger }) {
  const { source, gate, name, db, log } = of;
  const oldBlocks = openOldBlocks({ db, log }, of);
  const rounds = createRounds<HistoryCursor>(gate);
  const ports = { chain: source, rounds, ledger: createHistoryLedger(db), oldBlocks, log };
  return () => fillHistory(ports, name);
}

/**
 * The same lease as the chain's watcher takes, so only one of the two works at a time. A daemon
 * that starts meanwhile gets it.
 */
function leaseOf(db: Database, chainName: string) {
  const lease = { name: `watcher:${chainName}`, holder: randomUUID(), isShared: false };
  return createWatchLease({ ledger: createLeaseLedger(db), clock }, lease);
}

function stepOptions({ name, chainId, startBlock, genesis, confirmations }: ChainConfig) {
  return { chainName: name, chainId, startBlock, genesis, policy: confirmations, farBlocks };
}
