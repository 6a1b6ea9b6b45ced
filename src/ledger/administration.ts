import type { Actor } from "../domain/business/audit.ts";
import { createApiKey, listApiKeys, revokeApiKey } from "./businesses/api-keys.ts";
import { audited, listAudit } from "./businesses/audit.ts";
import {
  createBusiness,
  listBusinesses,
  resumeBusiness,
  setBusiness,
  suspendBusiness,
  verifyBusiness,
} from "./businesses/businesses.ts";
import { readStatus } from "./chain/chain-status.ts";
import { resetChain } from "./commit/reset-chain.ts";
import { rewindChain } from "./commit/rewind-chain.ts";
import { redeliver } from "./deliveries/requeue.ts";
import { bind } from "./postgres/bind.ts";
import type { Database } from "./postgres/database.ts";
import { addWallets } from "./watchlist/add-wallets.ts";
import { readWallets } from "./watchlist/read-wallets.ts";
import { removeWallet } from "./watchlist/remove-wallet.ts";
import { requestHistory } from "./watchlist/request-history.ts";
import { changeWebhook } from "./webhooks/change-webhook.ts";
import { listWebhooks } from "./webhooks/webhooks.ts";

/** What an operator does with the ledger, bound to one database; what changes something goes on record as theirs. */
export function createAdministration(db: Database, by: Actor) {
  const trail = { db, by };
  return {
    ...businessActions(trail),
    ...keyActions(trail),
    ...walletActions(trail),
    ...deliveryActions(trail),
    resetChain: audited(trail, "chain.reset", {
      work: resetChain,
      describe: (outcome, name) => ({ subject: name, details: outcome }),
    }),
    rewindChain: audited(trail, "chain.rewind", {
      work: rewindChain,
      describe: ({ from, to }, { chainName }) => ({
        subject: chainName,
        details: { from: Number(from), to: Number(to) },
      }),
    }),
    listBusinesses: bind(db, listBusinesses),
    listApiKeys: bind(db, listApiKeys),
    readWallets: bind(db, readWallets),
    listAudit: bind(db, listAudit),
    readStatus: bind(db, readStatus),
    listWebhooks: bind(db, listWebhooks),
  };
}

type Trail = { db: Database; by: Actor };

function businessActions(trail: Trail) {
  const ofId = ({ id }: { id: string }) => ({ subject: id, details: {} });
  return {
    createBusiness: audited(trail, "business.create", {
      work: createBusiness,
      describe: ({ id }, { name, isVerified }) => ({ subject: id, details: { name, isVerified } }),
    }),
    verifyBusiness: audited(trail, "business.verify", { work: verifyBusiness, describe: ofId }),
    suspendBusiness: audited(trail, "business.suspend", { work: suspendBusiness, describe: ofId }),
    resumeBusiness: audited(trail, "business.resume", { work: resumeBusiness, describe: ofId }),
    setBusiness: audited(trail, "business.set", {
      work: setBusiness,
      describe: ({ id }, _, settings) => ({ subject: id, details: settings }),
    }),
  };
}

function keyActions(trail: Trail) {
  return {
    createApiKey: audited(trail, "key.create", {
      work: createApiKey,
      describe: ({ id, prefix }, { businessId, label }) => ({
        subject: id,
        details: { businessId, label, prefix },
      }),
    }),
    revokeApiKey: audited(trail, "key.revoke", {
      work: revokeApiKey,
      describe: ({ id, businessId, prefix }) => ({ subject: id, details: { businessId, prefix } }),
    }),
  };
}

/** Wallets named one by one in an entry; of more it says how many. */
const maxNamedWallets = 10;

function walletActions(trail: Trail) {
  return {
    addWallets: audited(trail, "wallet.add", {
      work: addWallets,
      describe: (added, { businessId }) => ({
        subject: businessId,
        details: {
          count: added.length,
          wallets: added
            .slice(0, maxNamedWallets)
            .map(({ id, chainName, address }) => ({ id, blockchain: chainName, address })),
        },
      }),
    }),
    requestHistory: audited(trail, "wallet.backfill", {
      work: requestHistory,
      describe: (asked) => ({
        subject: asked.walletId,
        details: { fromBlock: Number(asked.fromNumber) },
      }),
    }),
    removeWallet: audited(trail, "wallet.remove", {
      work: removeWallet,
      describe: (_, id) => ({ subject: id.toLowerCase(), details: {} }),
    }),
  };
}

function deliveryActions(trail: Trail) {
  return {
    changeWebhook: audited(trail, "webhook.change", {
      work: changeWebhook,
      describe: ({ id }, _, change) => ({ subject: id, details: change }),
    }),
    redeliver: audited(trail, "notification.redeliver", {
      work: redeliver,
      describe: ({ deliveryId }, { notificationId }) => ({
        subject: notificationId,
        details: { deliveryId },
      }),
    }),
  };
}
