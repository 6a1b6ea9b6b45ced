import { findKeyHolder } from "./api-keys.ts";
import { bind } from "./bind.ts";
import type { Database } from "./database.ts";
import { readHoldings } from "./read-balance.ts";
import { readTransaction } from "./read-transaction.ts";
import { readTransactions } from "./read-transactions.ts";
import { readWallets } from "./read-wallets.ts";
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
  };
}
