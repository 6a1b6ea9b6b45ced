import type { AuditedFor } from "../domain/business/audit.ts";
import type { BusinessLedger } from "../domain/business/business-ledger.ts";
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
  findKeyHolder,
  listApiKeys,
  revokeOwnApiKey,
} from "./businesses/api-keys.ts";
import { auditedIn, readAudit } from "./businesses/audit.ts";
import { claimRequest, keepAnswer, releaseRequest } from "./businesses/idempotency-keys.ts";
import { search } from "./businesses/search.ts";
import { takeTokens } from "./businesses/take-tokens.ts";
import { readChainHeights } from "./chain/chain-status.ts";
import { recoverDeliveries, redeliver } from "./deliveries/requeue.ts";
import { readWalletBalancesAt } from "./evidence/balances-at.ts";
import { readOpenings } from "./evidence/openings.ts";
import { countNotifications } from "./notifications/count-notifications.ts";
import { readNotification, readNotifications } from "./notifications/read-notifications.ts";
import { beginTest, recordTest } from "./notifications/test-notification.ts";
import { bind } from "./postgres/bind.ts";
import type { Database } from "./postgres/database.ts";
import { countTransactions } from "./transactions/count-transactions.ts";
import { readTransaction } from "./transactions/read-transaction.ts";
import { readTransactions } from "./transactions/read-transactions.ts";
import { readWallets } from "./watchlist/read-wallets.ts";
import { changeWebhook, deleteWebhook } from "./webhooks/change-webhook.ts";
import { finishRotation, rotateSecret } from "./webhooks/rotate-secret.ts";
import { readWebhook, registerWebhook } from "./webhooks/webhooks.ts";

/** The ledger as the API uses it for a business, bound to one database. */
export function createBusinessLedger(db: Database): BusinessLedger {
  return {
    findKeyHolder: bind(db, findKeyHolder),
    isTokenEnded: bind(db, isTokenEnded),
    endToken: bind(db, endToken),
    recordToken: bind(db, recordToken),
    listTokens: bind(db, listTokens),
    endListedToken: bind(db, endListedToken),
    takeTokens: bind(db, takeTokens),
    readAudit: bind(db, readAudit),
    claimRequest: bind(db, claimRequest),
    keepAnswer: bind(db, keepAnswer),
    releaseRequest: bind(db, releaseRequest),
    search: bind(db, search),
    readChainHeights: bind(db, readChainHeights),
    countTransactions: bind(db, countTransactions),
    countNotifications: bind(db, countNotifications),
    listApiKeys: bind(db, listApiKeys),
    createApiKey: bind(db, createApiKey),
    revokeOwnApiKey: bind(db, revokeOwnApiKey),
    readHoldings: bind(db, readHoldings),
    readWallets: bind(db, readWallets),
    readWalletBalancesAt: bind(db, readWalletBalancesAt),
    readOpenings: bind(db, readOpenings),
    readTransactions: bind(db, readTransactions),
    readTransaction: bind(db, readTransaction),
    registerWebhook: bind(db, registerWebhook),
    readWebhook: bind(db, readWebhook),
    changeWebhook: bind(db, changeWebhook),
    deleteWebhook: bind(db, deleteWebhook),
    rotateSecret: bind(db, rotateSecret),
    finishRotation: bind(db, finishRotation),
    recoverDeliveries: bind(db, recoverDeliveries),
    redeliver: bind(db, redeliver),
    readNotifications: bind(db, readNotifications),
    readNotification: bind(db, readNotification),
    beginTest: bind(db, beginTest),
    recordTest: bind(db, recordTest),
  };
}

/** What a business changes, on record as the key's that it acts with, or as the session's. */
export function auditedForBusiness(db: Database): AuditedFor<BusinessLedger> {
  return ({ businessId, keyId, sessionId, address, claim }) => {
    const way = sessionId === null ? "api" : "console";
    const by = { name: sessionId ?? keyId, via: way, address } as const;
    return auditedIn({ db, businessId, by, claim }, createBusinessLedger);
  };
}
