import { randomUUID } from "node:crypto";
import { type ChainSource, createChainSource } from "../chain/chain-source.ts";
import type { ChainConfig } from "../config.ts";
import { createWatching } from "../ledger/watching.ts";
import { measureQuestions } from "../metrics/measure-questions.ts";
import { systemClock as clock } from "../runtime/clock.ts";
import { closing, type Service } from "../runtime/service.ts";
import { createWatchLease } from "../watcher/lease.ts";
import { createWatcher } from "../watcher/watcher.ts";
import type { MeasuredBase } from "./base.ts";

/** One answer of an endpoint; a full block of a busy chain takes seconds. */
const rpcTimeoutMs = 10_000;

/** One chain's endpoints; every question to them is measured. */
export function openSource({ log, metrics }: MeasuredBase, chain: ChainConfig): ChainSource {
  const source = createChainSource(
    { clock, log },
    { ...chain, urls: chain.rpcUrls, timeoutMs: rpcTimeoutMs },
  );
  return measureQuestions(source, { metrics, chain: chain.name, clock });
}

/** From one chain's endpoints to the ledger. */
export function watch(
  { db, log }: MeasuredBase,
  chain: ChainConfig,
  source: ChainSource,
): Service[] {
  const ledger = createWatching(db);
  const lease = createWatchLease(
    { ledger, clock },
    { name: `watcher:${chain.name}`, holder: randomUUID() },
  );
  const watcher = createWatcher(
    { chain: source, ledger, lease, clock, log },
    {
      chainName: chain.name,
      chainId: chain.chainId,
      startBlock: chain.startBlock,
      policy: chain.confirmations,
      pollMs: chain.pollMs,
    },
  );
  return [closing(`endpoints:${chain.name}`, source.close), watcher];
}
