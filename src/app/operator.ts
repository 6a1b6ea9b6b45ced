import type { AdminVerb } from "../api/routes/admin/verb-routes.ts";
import type { Actor, Audited } from "../domain/business/audit.ts";
import type { Claim } from "../domain/business/idempotency.ts";
import { fromPrimary, type ReadFrom } from "../domain/business/list-reader.ts";
import type { Sign } from "../domain/evidence/signing-key.ts";
import type { RequiredConfirmations } from "../domain/money/recorded-transaction.ts";
import { readAlertSnapshot } from "../ledger/alert-snapshot.ts";
import { readChannelReports } from "../ledger/alerts/alert-messages.ts";
import { readAlertStarts } from "../ledger/alerts/settle-alerts.ts";
import {
  createApiKey,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
} from "../ledger/businesses/api-keys.ts";
import { auditedIn } from "../ledger/businesses/audit.ts";
import { beginArchive } from "../ledger/businesses/audit-archive.ts";
import {
  createBusiness,
  listBusinesses,
  readBusiness,
  resumeBusiness,
  setBusiness,
  suspendBusiness,
  verifyBusiness,
} from "../ledger/businesses/businesses.ts";
import { search } from "../ledger/businesses/search.ts";
import { readStatus } from "../ledger/chain/chain-status.ts";
import { keepLease, releaseLease, takeLease } from "../ledger/chain/lease.ts";
import { readEndpointHistory, readLagHistory } from "../ledger/chain/samples.ts";
import { resetChain } from "../ledger/commit/reset-chain.ts";
import { rewindChain } from "../ledger/commit/rewind-chain.ts";
import { settleHeld } from "../ledger/commit/settle-held.ts";
import { createLink } from "../ledger/console/links.ts";
import { readCreditChanges } from "../ledger/credits/read-changes.ts";
import { readCreditLines } from "../ledger/credits/read-checks.ts";
import { abandonCredits, receiveCredits } from "../ledger/credits/receive-credits.ts";
import { finishCredits, settleCredits } from "../ledger/credits/settle-credits.ts";
import { readOutboxReport } from "../ledger/deliveries/read-outbox.ts";
import { readDeliveryRecovery, readRecoveries } from "../ledger/deliveries/read-recoveries.ts";
import { beginRecovery } from "../ledger/deliveries/recover.ts";
import { previewRecovery } from "../ledger/deliveries/recoverable.ts";
import { redeliver } from "../ledger/deliveries/redeliver.ts";
import { readWalletBalancesAt } from "../ledger/evidence/balances-at.ts";
import { removeStatement } from "../ledger/evidence/make-statement.ts";
import { readTotals } from "../ledger/evidence/read-totals.ts";
import { evidence } from "../ledger/evidence-ledger.ts";
import { readDatabaseReport } from "../ledger/installation/database-report.ts";
import { readLiveness } from "../ledger/installation/read-liveness.ts";
import { addSigningKey, listSigningKeys } from "../ledger/installation/signing-keys.ts";
import { listNotifications, readNotification } from "../ledger/notifications/read-notifications.ts";
import { readRecovery } from "../ledger/notifications/read-recovery.ts";
import { writeSample } from "../ledger/notifications/write-sample.ts";
import { type Bound, bind } from "../ledger/postgres/bind.ts";
import type { Database } from "../ledger/postgres/database.ts";
import { readSightings } from "../ledger/sightings/read-sightings.ts";
import { readRecordedTransactions } from "../ledger/transactions/read-recorded-transactions.ts";
import { readTransaction } from "../ledger/transactions/read-transaction.ts";
import { addWallets } from "../ledger/watchlist/add-wallets.ts";
import { applyConfiguration, readConfiguration } from "../ledger/watchlist/configuration.ts";
import { findWalletChain } from "../ledger/watchlist/find-wallet.ts";
import { readWallets } from "../ledger/watchlist/read-wallets.ts";
import { archiveWallet, removeWallet } from "../ledger/watchlist/remove-wallet.ts";
import { requestHistory } from "../ledger/watchlist/request-history.ts";
import { readThresholds, setThresholds } from "../ledger/watchlist/thresholds.ts";
import { changeWebhook } from "../ledger/webhooks/change-webhook.ts";
import { listWebhooks } from "../ledger/webhooks/webhooks.ts";
import { alertList } from "../operator/alert/list.ts";
import { auditArchive } from "../operator/audit/archive.ts";
import { auditList } from "../operator/audit/list.ts";
import { auditVerify } from "../operator/audit/verify.ts";
import { businessConsoleLink } from "../operator/business/console-link.ts";
import { businessCreate } from "../operator/business/create.ts";
import { businessList } from "../operator/business/list.ts";
import { businessSearch } from "../operator/business/search.ts";
import { businessSet } from "../operator/business/set.ts";
import { businessShow } from "../operator/business/show.ts";
import { businessResume, businessSuspend, businessVerify } from "../operator/business/state.ts";
import { chainCatchUp } from "../operator/chain/catch-up.ts";
import { chainEndpoints } from "../operator/chain/endpoints.ts";
import { chainLag } from "../operator/chain/lag.ts";
import { chainReconcile } from "../operator/chain/reconcile.ts";
import { chainReset } from "../operator/chain/reset.ts";
import { chainRewind } from "../operator/chain/rewind.ts";
import { chainSettle } from "../operator/chain/settle.ts";
import { chainStatus } from "../operator/chain/status.ts";
import { closeMonth } from "../operator/close/month.ts";
import { configApply } from "../operator/config/apply.ts";
import type { Configured } from "../operator/config/changes.ts";
import { configDiff } from "../operator/config/diff.ts";
import { installationHealth, type ProcessPorts } from "../operator/config/health.ts";
import { creditCheck } from "../operator/credit/check.ts";
import type { FolderFiles } from "../operator/folder-files.ts";
import { keyCreate } from "../operator/key/create.ts";
import { keyList } from "../operator/key/list.ts";
import { keyRevoke } from "../operator/key/revoke.ts";
import { keyRotate } from "../operator/key/rotate.ts";
import { keyRotateEncryption, type ReencryptPorts } from "../operator/key/rotate-encryption.ts";
import { keyRotateSigning, keySigning, type SigningPorts } from "../operator/key/signing.ts";
import { ledgerAttest } from "../operator/ledger/attest.ts";
import { ledgerCheck } from "../operator/ledger/check.ts";
import { ledgerReconciliations } from "../operator/ledger/reconciliations.ts";
import type { LineFiles } from "../operator/line-files.ts";
import type { LocalPorts } from "../operator/local/local-chain.ts";
import { deposit, withdraw } from "../operator/local/payment.ts";
import { reorg } from "../operator/local/reorg.ts";
import { notificationList } from "../operator/notification/list.ts";
import { type ListenPorts, listen } from "../operator/notification/listen.ts";
import { notificationOutbox } from "../operator/notification/outbox.ts";
import { notificationRedeliver } from "../operator/notification/redeliver.ts";
import { restoreCheck } from "../operator/notification/restore-check.ts";
import { notificationShow } from "../operator/notification/show.ts";
import { type TriggerPorts, trigger } from "../operator/notification/trigger.ts";
import { sightingList } from "../operator/sighting/list.ts";
import { statementGet } from "../operator/statement/get.ts";
import { statementList } from "../operator/statement/list.ts";
import { statementMake } from "../operator/statement/make.ts";
import type { Printer } from "../operator/statement/print.ts";
import { statementRemove } from "../operator/statement/remove.ts";
import { transactionList } from "../operator/transaction/list.ts";
import { transactionShow } from "../operator/transaction/show.ts";
import { totals } from "../operator/transaction/totals.ts";
import type { Emit, ShowProgress, VerbBindings } from "../operator/verb-bindings.ts";
import { walletAdd } from "../operator/wallet/add.ts";
import { walletBackfill } from "../operator/wallet/backfill.ts";
import { type WalletFile, walletImport } from "../operator/wallet/import.ts";
import { walletList } from "../operator/wallet/list.ts";
import { walletArchive, walletRemove } from "../operator/wallet/remove.ts";
import { walletSetThresholds } from "../operator/wallet/set-thresholds.ts";
import { walletShow } from "../operator/wallet/show.ts";
import { webhookDisable, webhookEnable } from "../operator/webhook/activity.ts";
import { webhookList } from "../operator/webhook/list.ts";
import { webhookRecover } from "../operator/webhook/recover.ts";
import { webhookRecoveries, webhookRecovery } from "../operator/webhook/recoveries.ts";
import { webhookSet } from "../operator/webhook/set.ts";
import type { CatchUpNow, FollowHistory } from "./catch-up-now.ts";
import type { CompareChain, OpenEvidence } from "./compare-chain.ts";
import type { FollowRecovery } from "./follow-recovery.ts";

// The operator's verbs, and the functions of the ledger that they call. A verb that is missing in
// the list cannot be used. A verb whose function is not bound below does not compile.

/** In the order in which help shows them. */
export const verbs: readonly VerbBindings<
  OperatorPorts & ProcessPorts & Configured,
  CommandLinePorts
>[] = [
  businessCreate,
  businessVerify,
  businessSuspend,
  businessResume,
  businessSet,
  businessList,
  businessShow,
  businessSearch,
  businessConsoleLink,
  keyCreate,
  keyRotate,
  keyRevoke,
  keyList,
  keyRotateEncryption,
  keySigning,
  keyRotateSigning,
  walletAdd,
  walletImport,
  walletList,
  walletShow,
  walletSetThresholds,
  walletRemove,
  walletArchive,
  transactionList,
  transactionShow,
  totals,
  creditCheck,
  sightingList,
  chainStatus,
  chainEndpoints,
  chainLag,
  chainRewind,
  chainReset,
  chainSettle,
  chainCatchUp,
  walletBackfill,
  chainReconcile,
  configDiff,
  configApply,
  installationHealth,
  alertList,
  ledgerCheck,
  ledgerReconciliations,
  ledgerAttest,
  closeMonth,
  statementMake,
  statementList,
  statementGet,
  statementRemove,
  auditList,
  auditVerify,
  auditArchive,
  webhookList,
  webhookEnable,
  webhookDisable,
  webhookSet,
  webhookRecover,
  webhookRecoveries,
  webhookRecovery,
  notificationList,
  notificationShow,
  notificationOutbox,
  notificationRedeliver,
  restoreCheck,
  deposit,
  withdraw,
  reorg,
  listen,
  trigger,
];

/** Functions of the ledger that only read, or that are a transaction of their own. */
const whole = {
  ...evidence,
  abandonCredits,
  readCreditChanges,
  readCreditLines,
  receiveCredits,
  settleCredits,
  findWalletChain,
  keepLease,
  listApiKeys,
  listBusinesses,
  listNotifications,
  listSigningKeys,
  listWebhooks,
  previewRecovery,
  readAlertSnapshot,
  readAlertStarts,
  readBusiness,
  readChannelReports,
  readConfiguration,
  readDatabaseReport,
  readDeliveryRecovery,
  readEndpointHistory,
  readLagHistory,
  readLiveness,
  readNotification,
  readOutboxReport,
  readRecoveries,
  readRecovery,
  readSightings,
  readStatus,
  readTransaction,
  readThresholds,
  readTotals,
  readRecordedTransactions,
  readWalletBalancesAt,
  readWallets,
  releaseLease,
  search,
  takeLease,
};

/** The changes that verbs make. Each runs in the same transaction as its audit entry. */
const steps = {
  addSigningKey,
  addWallets,
  applyConfiguration,
  archiveWallet,
  beginArchive,
  beginRecovery,
  changeWebhook,
  createApiKey,
  createBusiness,
  createLink,
  finishCredits,
  redeliver,
  removeStatement,
  removeWallet,
  requestHistory,
  resetChain,
  resumeBusiness,
  revokeApiKey,
  rewindChain,
  rotateApiKey,
  setBusiness,
  setThresholds,
  settleHeld,
  suspendBusiness,
  verifyBusiness,
  writeSample,
};

/**
 * The ledger for the verbs of one operator. The audit trail names that operator for each change.
 */
export type Administration = {
  ledger: Bound<typeof whole>;
  audited: Audited<Bound<typeof steps>>;
  by: Actor;
};

/** @param claim for a request with an Idempotency-Key, else null */
export function createAdministration(db: Database, by: Actor, claim: Claim | null): Administration {
  return {
    by,
    ledger: bind(db, whole),
    audited: auditedIn({ db, by, businessId: null, claim }, (tx) => bind(tx, steps)),
  };
}

/** The tools that verbs need beside the ledger, both by HTTP and on the command line. */
export type OperatorTools = {
  /** The names of the configured chains. */
  chainNames: readonly string[];
  clock: { now: () => number };
  compareChain: CompareChain;
  requiredConfirmations: RequiredConfirmations;
};

type OperatorPorts = Administration & OperatorTools;

/** Tools that only the command line has: a terminal, files, and no limit of time. */
export type CommandLineTools = Configured & {
  showProgress: ShowProgress;
  readWalletFile: (path: string) => Promise<WalletFile>;
  catchUp: CatchUpNow;
  openEvidence: OpenEvidence;
  newSigningKey: SigningPorts["newSigningKey"];
  sign: Sign;
  publish: (target: string, line: string) => Promise<void>;
  lineFiles: LineFiles;
  printer: Printer;
  folderFiles: FolderFiles;
  streamFile: (path: string) => AsyncIterable<Uint8Array>;
  followHistory: FollowHistory;
  followRecovery: FollowRecovery;
  openLocalChain: LocalPorts["openLocalChain"];
  reencrypt: ReencryptPorts["reencrypt"];
  openListening: ListenPorts["openListening"];
  followFirstAttempt: TriggerPorts["followFirstAttempt"];
  isDevelopment: boolean;
  readDemoBusiness: () => Promise<string | null>;
  emit: Emit;
};

export type CommandLinePorts = OperatorPorts & CommandLineTools;

/**
 * The verbs by HTTP. The audit trail names the administrator who sent the request. `readIn` chooses
 * the database that long lists are read from.
 */
export function adminVerbs(
  db: Database,
  tools: OperatorTools & ProcessPorts & Configured & { readIn: ReadFrom<Database> },
): AdminVerb[] {
  return verbs.flatMap(({ http }) => {
    if (http === null) return [];
    const read = http.mayBeStale ? tools.readIn : fromPrimary(db);
    const act: AdminVerb["act"] = (request, { claim, ...by }) =>
      read((at) => {
        const administration = createAdministration(at, { ...by, via: "http" }, claim);
        return http.handle({ ...administration, ...tools }, request);
      });
    return [{ ...http, act }];
  });
}
