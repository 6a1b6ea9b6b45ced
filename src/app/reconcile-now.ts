import { reconcile, type ShownReconciliation } from "../commands/reconcile.ts";
import type { ChainConfig } from "../config/config.ts";
import { Fault } from "../domain/fault.ts";
import { createReconcileLedger } from "../ledger/watching.ts";
import { findWalletChain } from "../ledger/watchlist/find-wallet.ts";
import { systemClock as clock } from "../runtime/clock.ts";
import {
  nothingCompared,
  type ReconcilePorts,
  reconcileStep,
} from "../watcher/reconcile/reconcile.ts";
import type { MeasuredBase } from "./base.ts";
import { openSource } from "./watch-chain.ts";

/** See the command of that name. */
export type Reconcile = (input: { walletId?: string }) => Promise<ShownReconciliation>;

/** A comparison that a reorg throws away is begun again; after so many times something else is wrong. */
const maxTries = 40;
const pauseMs = 500;

/** Reconciles on demand, with endpoints of its own that are closed afterwards. Safe beside the daemon's own. */
export function createReconcile(
  base: Pick<MeasuredBase, "db" | "log" | "metrics"> & {
    config: { chains: readonly ChainConfig[] };
  },
): Reconcile {
  const { config, db, log } = base;
  const ledger = createReconcileLedger(db);
  const ports = {
    chainNames: config.chains.map(({ name }) => name),
    findWalletChain: (walletId: string) => findWalletChain(db, walletId),
    async compareChain(chainName: string, walletIds: readonly string[] | null) {
      const chain = config.chains.find(({ name }) => name === chainName);
      if (chain === undefined) {
        throw new Fault("chain_not_found", `Chain '${chainName}' is no longer configured.`);
      }
      const source = openSource(base, chain);
      try {
        return await compareAll({ chain: source, ledger, log }, { chainName, walletIds });
      } finally {
        source.close();
      }
    },
  };
  return (input) => reconcile(ports, input);
}

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
      case "not_now":
        tries += 1;
        await clock.sleep(pauseMs, new AbortController().signal);
    }
  }
  throw new Fault(
    "state_unavailable",
    `Chain '${of.chainName}' cannot be compared now: it has not started, or is being reorganised. Try again.`,
  );
}
