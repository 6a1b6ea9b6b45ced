import { randomUUID } from "node:crypto";
import { createChainSource } from "../chain/chain-source.ts";
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

/** From one chain's endpoints to the ledger. */
export function watch({ db, log, metrics }: MeasuredBase, chain: ChainConfig): Service[] {
  const ledger = createWatching(db);
  const endpoints = createChainSource({ urls: [...chain.rpcUrls], timeoutMs: rpcTimeoutMs });
  const source = measureQuestions(endpoints, { metrics, chain: chain.name, clock });
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
      policy: { kind: "depth", depth: chain.confirmations },
      pollMs: chain.pollMs,
    },
  );
  return [closing(`endpoints:${chain.name}`, source.close), watcher];
}
