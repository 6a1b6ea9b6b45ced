import type { AuditedFor } from "../domain/business/audit.ts";
import type { BusinessChanges, BusinessLedger } from "../domain/business/business-ledger.ts";
import { readHoldings } from "./balances/read-balance.ts";
import {
  endListedToken,
  endToken,
  isTokenEnded,
  listTokens,
  recordToken,
} from "./businesses/access-tokens.ts";
import {
  createApiKey,
  findClosed,
  findKeyHolder,
  listApiKeys,
  listUsedKeys,
  revokeOwnApiKey,
} from "./businesses/api-keys.ts";
import { auditedIn, readAudit } from "./businesses/audit.ts";
import { claimRequest, keepAnswer, releaseRequest } from "./businesses/idempotency-keys.ts";
import { search } from "./businesses/search.ts";
import { takeTokens } from "./businesses/take-tokens.ts";
import { readChainHeights } from "./chain/chain-status.ts";
import { readCreditChanges } from "./credits/read-changes.ts";
import { readCreditCheck, readCreditChecks, readCreditLines } from "./credits/read-checks.ts";
import { abandonCredits, receiveCredits } from "./credits/receive-credits.ts";
import { finishCredits, settleCredits } from "./credits/settle-credits.ts";
import { readDeliveryRecovery, readRecoveries } from "./deliveries/read-recoveries.ts";
import { beginRecovery } from "./deliveries/recover.ts";
import { previewRecovery } from "./deliveries/recoverable.ts";
import { redeliver } from "./deliveries/redeliver.ts";
import { readWalletBalancesAt } from "./evidence/balances-at.ts";
import { findStatement, readStatements, readStatementTexts } from "./evidence/made-statements.ts";
import { makeStatement } from "./evidence/make-statement.ts";
import { readKnownMatters } from "./evidence/open-matters.ts";
import { readOpenings } from "./evidence/openings.ts";
import { readTotals } from "./evidence/read-totals.ts";
import { readStatementsUnderWay } from "./evidence/statement-progress.ts";
import { countNotifications } from "./notifications/count-notifications.ts";
import { readFeed } from "./notifications/read-feed.ts";
import {
  readFullNotifications,
  readNotification,
  readNotifications,
} from "./notifications/read-notifications.ts";
import { beginTest, recordTest } from "./notifications/test-notification.ts";
import { bind } from "./postgres/bind.ts";
import type { Database } from "./postgres/database.ts";
import { readSightings } from "./sightings/read-sightings.ts";
import { countTransactions } from "./transactions/count-transactions.ts";
import { readRecordedTransactions } from "./transactions/read-recorded-transactions.ts";
import { readTransaction } from "./transactions/read-transaction.ts";
import { readTransactions } from "./transactions/read-transactions.ts";
import { addOwnWallets } from "./watchlist/add-own-wallets.ts";
import { readWallets } from "./watchlist/read-wallets.ts";
import { readThresholds, setThresholds } from "./watchlist/thresholds.ts";
import { changeWebhook, deleteWebhook } from "./webhooks/change-webhook.ts";
import { finishRotation, rotateSecret } from "./webhooks/rotate-secret.ts";
import { addWebhook, readWebhook, readWebhooks, registerWebhook } from "./webhooks/webhooks.ts";

const whole = {
  findKeyHolder,
  findClosed,
  listUsedKeys,
  isTokenEnded,
  endToken,
  recordToken,
  listTokens,
  endListedToken,
  takeTokens,
  readAudit,
  claimRequest,
  keepAnswer,
  releaseRequest,
  search,
  readChainHeights,
  countTransactions,
  countNotifications,
  listApiKeys,
  readHoldings,
  readWallets,
  readThresholds,
  readWalletBalancesAt,
  readOpenings,
  makeStatement,
  readStatements,
  readStatementsUnderWay,
  findStatement,
  readStatementTexts,
  readTotals,
  readKnownMatters,
  receiveCredits,
  abandonCredits,
  settleCredits,
  readCreditChecks,
  readCreditCheck,
  readCreditLines,
  readCreditChanges,
  readTransactions,
  readRecordedTransactions,
  readTransaction,
  readSightings,
  readWebhook,
  readWebhooks,
  readNotifications,
  readFullNotifications,
  readNotification,
  readFeed,
  previewRecovery,
  readRecoveries,
  readDeliveryRecovery,
  beginTest,
  recordTest,
};

const steps = {
  addOwnWallets,
  setThresholds,
  finishCredits,
  createApiKey,
  revokeOwnApiKey,
  registerWebhook,
  addWebhook,
  changeWebhook,
  deleteWebhook,
  rotateSecret,
  finishRotation,
  beginRecovery,
  redeliver,
};

/** The ledger as the API uses it for a business, bound to one database. */
export function createBusinessLedger(db: Database): BusinessLedger {
  return bind(db, whole);
}

/**
 * The changes that a business makes. The audit trail names its API key or its session as the actor.
 */
export function auditedForBusiness(db: Database): AuditedFor<BusinessChanges> {
  return ({ businessId, keyId, sessionId, address, claim }) => {
    const way = sessionId === null ? "api" : "console";
    const by = { name: sessionId ?? keyId, via: way, address } as const;
    return auditedIn({ db, businessId, by, claim }, (tx) => bind(tx, steps));
  };
}
