import { addWallets } from "./add-wallets.ts";
import { createApiKey, listApiKeys, revokeApiKey } from "./api-keys.ts";
import { bind } from "./bind.ts";
import {
  createBusiness,
  listBusinesses,
  resumeBusiness,
  setBusiness,
  suspendBusiness,
  verifyBusiness,
} from "./businesses.ts";
import { readStatus } from "./chain-status.ts";
import { changeWebhook } from "./change-webhook.ts";
import type { Database } from "./database.ts";
import { readWallets } from "./read-wallets.ts";
import { removeWallet } from "./remove-wallet.ts";
import { redeliver } from "./requeue.ts";
import { resetChain } from "./reset-chain.ts";
import { listWebhooks } from "./webhooks.ts";

/** What an operator does with the ledger, bound to one database. */
export function createAdministration(db: Database) {
  return {
    createBusiness: bind(db, createBusiness),
    verifyBusiness: bind(db, verifyBusiness),
    suspendBusiness: bind(db, suspendBusiness),
    resumeBusiness: bind(db, resumeBusiness),
    setBusiness: bind(db, setBusiness),
    listBusinesses: bind(db, listBusinesses),
    createApiKey: bind(db, createApiKey),
    revokeApiKey: bind(db, revokeApiKey),
    listApiKeys: bind(db, listApiKeys),
    addWallets: bind(db, addWallets),
    removeWallet: bind(db, removeWallet),
    readWallets: bind(db, readWallets),
    readStatus: bind(db, readStatus),
    resetChain: bind(db, resetChain),
    listWebhooks: bind(db, listWebhooks),
    changeWebhook: bind(db, changeWebhook),
    redeliver: bind(db, redeliver),
  };
}
