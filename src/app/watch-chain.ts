import { createAgreementGate } from "../chain/agreement/gate.ts";
import { createHolds } from "../chain/agreement/holds.ts";
import { createChainSource } from "../chain/chain-source.ts";
import { sharedAddresses } from "../chain/shared-addresses.ts";
import type { ChainConfig } from "../config/config.ts";
import type { WaitingWork } from "../domain/chain/chain-state.ts";
import { Fault } from "../domain/fault.ts";
import type { AgreementGate } from "../domain/watch/agreement-gate.ts";
import type { ChainSource } from "../domain/watch/chain-source.ts";
import { createTracingHosts } from "../ledger/chain/tracing-hosts.ts";
import type { Database } from "../ledger/postgres/database.ts";
import {
  createBalanceLedger,
  createHeadLedger,
  createHistoryLedger,
  createLeaseLedger,
  createOldBlockLedger,
  createReconcileLedger,
  createSightingLedger,
} from "../ledger/watching.ts";
import { measureQuestions } from "../metrics/measure-questions.ts";
import { systemClock as clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import type { Service } from "../runtime/service.ts";
import { once, stopTogether } from "../runtime/service-group.ts";
import { createOldBlocks } from "../watcher/gate/old-blocks.ts";
import { createReadingReporter } from "../watcher/head/report-reading.ts";
import { createWatcher } from "../watcher/head/watcher.ts";
import { createHistoryFiller } from "../watcher/history/history-filler.ts";
import { createWatchLease } from "../watcher/lease.ts";
import { createReconciler } from "../watcher/reconcile/reconciler.ts";
import { createSightingReporter } from "../watcher/report-sightings.ts";
import type { MeasuredBase } from "./base.ts";

/** The limit for one answer of an endpoint. A full block of a busy chain takes seconds. */
export const rpcTimeoutMs = 10_000;

/** @throws Fault `chain_not_found`, also if the chain is no longer configured */
export function configuredChain(
  { chains }: { chains: readonly ChainConfig[] },
  chainName: string,
): ChainConfig {
  const chain = chains.find(({ name }) => name === chainName);
  if (chain !== undefined) return chain;
  const names = chains.map(({ name }) => name).join(", ") || "none";
  throw new Fault(
    "chain_not_found",
    `There is no chain '${chainName}' in the configuration. Its chains: ${names}.`,
  );
}

/**
 * @throws Fault `rpc_unavailable` for the local chain of development mode while no daemon runs it
 */
export function requireEndpoints({ name, rpcUrls }: ChainConfig): void {
  if (rpcUrls.length > 0) return;
  throw new Fault(
    "rpc_unavailable",
    `The chain '${name}' runs with the daemon of development mode: start that first.`,
  );
}

/** A chain's endpoints, and the gate that decides what they have to agree on. */
export type OpenChain = { source: ChainSource; gate: AgreementGate };

/**
 * Opens the endpoints of one chain, and their gate. Both share what waits. Every request to the
 * endpoints is measured.
 */
export function openChain(
  { db, log, metrics }: Pick<MeasuredBase, "db" | "log" | "metrics">,
  chain: ChainConfig,
): OpenChain {
  requireEndpoints(chain);
  const { name, witness } = chain;
  const holds = createHolds({ clock, log }, { chainName: name, witness });
  const opened = createChainSource(
    { clock, log, tracingHosts: createTracingHosts(db, name), holds },
    { ...chain, urls: chain.rpcUrls, timeoutMs: rpcTimeoutMs },
  );
  const source = measureQuestions(opened, { metrics, chain: name, clock });
  return { source, gate: createAgreementGate({ chain: source, holds }, witness.count) };
}

/** Opens the gate for old blocks of one chain that are read again. */
export function openOldBlocks(
  { db, log }: Pick<MeasuredBase, "db" | "log">,
  { source, gate, name }: OpenChain & { name: string },
) {
  const ledger = createOldBlockLedger(db);
  return createOldBlocks({ chain: source, gate, ledger, log }, name);
}

/**
 * The functions of the ledger that advance one chain: near its head, far behind it, and its
 * balances.
 */
export function openBlockLedger(db: Database) {
  return { ...createHeadLedger(db), ...createBalanceLedger(db) };
}

/**
 * Reads one chain's blocks from its endpoints into the ledger. Calls `onNotified` when there is
 * something to deliver.
 * @param holder the holder of the leases of all chains that this process watches
 */
export function watch(
  base: MeasuredBase,
  chain: ChainConfig,
  { holder, onNotified }: { holder: string; onNotified: () => void },
): Service[] {
  const { db, log } = base;
  const { source, gate } = openChain(base, chain);
  void warnOfSharedAddresses(log, chain);
  const ledger = openBlockLedger(db);
  const lease = createWatchLease(
    { ledger: createLeaseLedger(db), clock },
    { name: `watcher:${chain.name}`, holder, isShared: true },
  );
  const oldBlocks = openOldBlocks(base, { source, gate, name: chain.name });
  const historyFiller = createHistoryFiller(
    { chain: source, gate, ledger: createHistoryLedger(db), oldBlocks, lease, clock, log },
    chain.name,
  );
  const sightings = createSightingReporter(
    { chain: source, ledger: createSightingLedger(db), lease, clock, log },
    chain.name,
  );
  const onWaiting = (waiting: WaitingWork) => {
    if (waiting.histories) historyFiller.wake();
    if (waiting.sightings) sightings.wake();
  };
  const watcher = createWatcher(
    { chain: source, gate, ledger, lease, clock, log, spans: base.spans, onNotified, onWaiting },
    {
      chainName: chain.name,
      chainId: chain.chainId,
      startBlock: chain.startBlock,
      genesis: chain.genesis,
      policy: chain.confirmations,
      pollMs: chain.pollMs,
    },
  );
  const reconciler = createReconciler(
    { chain: source, ledger: createReconcileLedger(db), oldBlocks, lease, clock, log },
    { chainName: chain.name, everyMs: chain.reconcileMs },
  );
  const reading = createReadingReporter(
    { chain: source, gate, ledger, lease, clock, log },
    chain.name,
  );
  return endingWith(source, { watcher, others: [reconciler, historyFiller, sightings, reading] });
}

/**
 * When the process ends, the work on a chain may go on for this time, in ms. Then its questions are
 * broken off: a silent endpoint takes longer than the process has.
 */
const stopGraceMs = 2_000;

/** The parts of one chain. They stop together, and close its endpoints. */
function endingWith(
  source: ChainSource,
  { watcher, others }: { watcher: Service; others: readonly Service[] },
): Service[] {
  const stop = once(async () => {
    const isOver = new AbortController();
    const grace = clock.sleep(stopGraceMs, isOver.signal);
    const rest = stopTogether(others);
    await Promise.race([rest, grace]);
    // Releases the lease, which the others may have asked for.
    const last = watcher.stop();
    await Promise.race([last, grace]);
    isOver.abort();
    source.close();
    await Promise.all([rest, last]);
  });
  return [watcher, ...others].map((part) => ({ ...part, stop }));
}

/** Several hosts at one address may be one node. Only the operator can know, so this only warns. */
async function warnOfSharedAddresses(
  log: Logger,
  { chainId, rpcUrls, providers }: ChainConfig,
): Promise<void> {
  for (const { address, hosts } of await sharedAddresses(rpcUrls, providers))
    log.warn({ chainId, address, hosts }, "endpoint.same_address");
}
