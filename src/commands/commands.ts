import { addWallets } from "./add-wallets.ts";
import { backfillWallet } from "./backfill-wallet.ts";
import { changeBusiness, setBusiness } from "./change-business.ts";
import { createBusiness } from "./create-business.ts";
import { createKey } from "./create-key.ts";
import { importWallets } from "./import-wallets.ts";
import { listApiKeys, listAudit, listBusinesses, listWallets } from "./list.ts";
import { removeWallet } from "./remove-wallet.ts";
import { resetChain } from "./reset-chain.ts";
import { revokeKey } from "./revoke-key.ts";
import { rewindChain } from "./rewind-chain.ts";
import { showStatus } from "./show-status.ts";
import { listWebhooks, redeliverNotification, switchWebhook } from "./webhooks.ts";

type First<F> = F extends (first: infer Port, ...rest: never[]) => unknown ? Port : never;
type Change = First<typeof changeBusiness>;

/** What the operator's verbs need of the ledger, each stated in its own file. */
type Ledger = First<typeof createBusiness> &
  First<typeof setBusiness> &
  First<typeof listBusinesses> &
  First<typeof createKey> &
  First<typeof revokeKey> &
  First<typeof addWallets>["ledger"] &
  First<typeof importWallets>["ledger"] &
  First<typeof backfillWallet> &
  First<typeof removeWallet> &
  First<typeof showStatus> &
  First<typeof resetChain> &
  First<typeof rewindChain> &
  First<typeof listWebhooks> &
  First<typeof switchWebhook> &
  First<typeof redeliverNotification> & {
    verifyBusiness: Change;
    suspendBusiness: Change;
    resumeBusiness: Change;
  };

export type Commands = ReturnType<typeof createCommands>;

/** The operator's verbs over one ledger: the command line and /admin offer these same ones. */
export function createCommands(deps: {
  ledger: Ledger;
  /** The configured chains' names. */
  chainNames: readonly string[];
  clock: { now: () => number };
}) {
  const { ledger, chainNames, clock } = deps;
  type Input<F> = F extends (first: never, input: infer I) => unknown ? I : never;
  return {
    createBusiness: (input: Input<typeof createBusiness>) => createBusiness(ledger, input),
    verifyBusiness: (id: string) => changeBusiness(ledger.verifyBusiness, id),
    suspendBusiness: (id: string) => changeBusiness(ledger.suspendBusiness, id),
    resumeBusiness: (id: string) => changeBusiness(ledger.resumeBusiness, id),
    setBusiness: (id: string, input: Parameters<typeof setBusiness>[2]) =>
      setBusiness(ledger, id, input),
    listBusinesses: (input: Input<typeof listBusinesses>) => listBusinesses(ledger, input),
    createKey: (input: Input<typeof createKey>) => createKey(ledger, input),
    revokeKey: (id: string) => revokeKey(ledger, id),
    listApiKeys: (input: Input<typeof listApiKeys>) => listApiKeys(ledger, input),
    addWallets: (input: Input<typeof addWallets>) => addWallets({ ledger, chainNames }, input),
    importWallets: (input: Input<typeof importWallets>) =>
      importWallets({ ledger, chainNames }, input),
    backfillWallet: (input: Input<typeof backfillWallet>) => backfillWallet(ledger, input),
    removeWallet: (id: string) => removeWallet(ledger, id),
    listWallets: (input: Input<typeof listWallets>) => listWallets(ledger, input),
    listAudit: (input: Input<typeof listAudit>) => listAudit(ledger, input),
    showStatus: () => showStatus(ledger, clock.now()),
    rewindChain: (input: Input<typeof rewindChain>) => rewindChain(ledger, input),
    resetChain: (name: string) => resetChain(ledger, name),
    listWebhooks: (input: Input<typeof listWebhooks>) => listWebhooks(ledger, input),
    enableWebhook: (id: string) => switchWebhook(ledger, id, true),
    disableWebhook: (id: string) => switchWebhook(ledger, id, false),
    redeliverNotification: (id: string) => redeliverNotification(ledger, id),
  };
}
