import { createEvidenceSource } from "../chain/evidence-source.ts";
import type { ChainConfig } from "../config/config.ts";
import type { EvidenceSource } from "../domain/evidence/attestation.ts";
import { Fault } from "../domain/fault.ts";
import type { Finding } from "../domain/money/reconciliation.ts";
import { readChainState } from "../ledger/chain/chain-state.ts";
import { createReconcileLedger } from "../ledger/watching.ts";
import { systemClock as clock } from "../runtime/clock.ts";
import type { Logger } from "../runtime/logger.ts";
import { checkIdentity } from "../watcher/head/check-identity.ts";
import {
  nothingCompared,
  type ReconcilePorts,
  reconcileStep,
} from "../watcher/reconcile/reconcile.ts";
import type { MeasuredBase } from "./base.ts";
import {
  configuredChain,
  openChain,
  openOldBlocks,
  requireEndpoints,
  rpcTimeoutMs,
} from "./watch-chain.ts";

/**
 * Compares all balances on a chain, or those of the given wallets (null: all).
 * @throws Fault `wrong_chain_id`, `wrong_genesis`, `rpc_unavailable`, `state_unavailable`
 */
export type CompareChain = (
  chainName: string,
  walletIds: readonly string[] | null,
) => Promise<{ compared: number; open: number; findings: readonly Finding[] }>;

/** A reorg makes a comparison start again. More restarts than this have another cause. */
const maxTries = 40;
const pauseMs = 500;

/**
 * Compares a chain on demand. Opens endpoints of its own, and closes them afterwards. Safe while
 * the daemon compares too.
 */
export function createCompareChain(
  base: Pick<MeasuredBase, "db" | "log" | "metrics"> & {
    config: { chains: readonly ChainConfig[] };
  },
): CompareChain {
  const { config, db, log } = base;
  const ledger = createReconcileLedger(db);
  return async (chainName, walletIds) => {
    const chain = configuredChain(config, chainName);
    const { source, gate } = openChain(base, chain);
    try {
      // Endpoints of another chain would know none of the ledger's blocks. That would look like
      // endpoints that failed.
      const { genesisHash } = await readChainState(db, chainName);
      await checkIdentity(source, { ...chain, chainName, genesisHash });
      const oldBlocks = openOldBlocks(base, { source, gate, name: chainName });
      const ports = { chain: source, ledger, oldBlocks, log };
      return await compareAll(ports, { chainName, walletIds });
    } finally {
      source.close();
    }
  };
}

export type OpenEvidence = (chainName: string) => Promise<EvidenceSource>;

/** Opens a chain's endpoints for an attestation; the caller closes them. */
export function createOpenEvidence(config: Chains, log: Logger): OpenEvidence {
  return async (chainName) => {
    const chain = configuredChain(config, chainName);
    requireEndpoints(chain);
    return createEvidenceSource(
      { clock, log },
      { ...chain, urls: chain.rpcUrls, timeoutMs: rpcTimeoutMs },
    );
  };
}

type Chains = { chains: readonly ChainConfig[] };

async function compareAll(
  ports: ReconcilePorts,
  of: { chainName: string; walletIds: readonly string[] | null },
) {
  let progress = nothingCompared;
  for (let tries = 0; tries < maxTries; ) {
    const outcome = await reconcileStep(ports, of, progress);
    switch (outcome.kind) {
      case "done":
        return outcome.progress;
      case "more":
        progress = outcome.progress;
        tries = 0;
        break;
      case "moved":
      case "not_now":
        if (outcome.kind === "moved") progress = nothingCompared;
        tries += 1;
        await clock.sleep(pauseMs, new AbortController().signal);
    }
  }
  throw new Fault(
    "state_unavailable",
    `Chain '${of.chainName}' cannot be compared now: it has not started, or is being reorganised. Try again.`,
  );
}
