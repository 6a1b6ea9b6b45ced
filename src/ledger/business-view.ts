import { findKeyHolder } from "./api-keys.ts";
import { bind } from "./bind.ts";
import { changeWebhook, deleteWebhook } from "./change-webhook.ts";
import type { Database } from "./database.ts";
import { readHoldings } from "./read-balance.ts";
import { readNotification, readNotifications } from "./read-notifications.ts";
import { readTransaction } from "./read-transaction.ts";
import { readTransactions } from "./read-transactions.ts";
import { readWallets } from "./read-wallets.ts";
import { recoverDeliveries, redeliver } from "./requeue.ts";
import { finishRotation, rotateSecret } from "./rotate-secret.ts";
import { beginTest, recordTest } from "./test-ring.ts";
import { readWebhook, registerWebhook } from "./webhooks.ts";

/** What the API does with the ledger for a business, bound to one database. */
export function createBusinessView(db: Database) {
  return {
    findKeyHolder: bind(db, findKeyHolder),
    readHoldings: bind(db, readHoldings),
    readWallets: bind(db, readWallets),
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
