import type { RecoveryAsked } from "../../../src/domain/delivery/delivery.ts";
import type { WebhookName } from "../../../src/domain/webhook/registration.ts";
import * as apiKeys from "../../../src/ledger/businesses/api-keys.ts";
import * as businesses from "../../../src/ledger/businesses/businesses.ts";
import * as reset from "../../../src/ledger/commit/reset-chain.ts";
import * as rewind from "../../../src/ledger/commit/rewind-chain.ts";
import * as held from "../../../src/ledger/commit/settle-held.ts";
import * as recover from "../../../src/ledger/deliveries/recover.ts";
import * as requeue from "../../../src/ledger/deliveries/redeliver.ts";
import type { Database } from "../../../src/ledger/postgres/database.ts";
import { inTransaction, type Tx } from "../../../src/ledger/postgres/transaction.ts";
import * as additions from "../../../src/ledger/watchlist/add-wallets.ts";
import * as chains from "../../../src/ledger/watchlist/configure-chains.ts";
import * as removals from "../../../src/ledger/watchlist/remove-wallet.ts";
import * as history from "../../../src/ledger/watchlist/request-history.ts";
import * as thresholds from "../../../src/ledger/watchlist/thresholds.ts";
import * as changes from "../../../src/ledger/webhooks/change-webhook.ts";
import * as moves from "../../../src/ledger/webhooks/move-waiting.ts";
import * as order from "../../../src/ledger/webhooks/order.ts";
import * as secrets from "../../../src/ledger/webhooks/rotate-secret.ts";
import * as webhooks from "../../../src/ledger/webhooks/webhooks.ts";

// Steps of the ledger, each as a transaction of its own: in the daemon the audit entry is in the
// same one.

function whole<Input extends unknown[], Output>(
  step: (tx: Tx, ...input: Input) => Promise<Output>,
): (db: Database, ...input: Input) => Promise<Output> {
  return (db, ...input) => inTransaction(db, (tx) => step(tx, ...input));
}

export const createApiKey = whole(apiKeys.createApiKey);
export const revokeApiKey = whole(apiKeys.revokeApiKey);
export const createBusiness = whole(businesses.createBusiness);
export const suspendBusiness = whole(businesses.suspendBusiness);
export const resumeBusiness = whole(businesses.resumeBusiness);
export const setBusiness = whole(businesses.setBusiness);
export const resetChain = whole(reset.resetChain);
export const rewindChain = whole(rewind.rewindChain);
export const settleHeld = whole(held.settleHeld);
export const redeliver = whole(requeue.redeliver);
export const beginRecovery = whole(recover.beginRecovery);
export const addWallets = whole(additions.addWallets);
export const configureChains = whole(chains.configureChains);
export const archiveWallet = whole(removals.archiveWallet);
export const removeWallet = whole(removals.removeWallet);
export const requestHistory = whole(history.requestHistory);
export const setThresholds = whole(thresholds.setThresholds);
export const changeWebhook = whole(changes.changeWebhook);
export const deleteWebhook = whole(changes.deleteWebhook);
export const rotateSecret = whole(secrets.rotateSecret);
export const registerWebhook = whole(webhooks.registerWebhook);
export const addWebhook = whole(webhooks.addWebhook);

/** Does what changes of webhooks have left to later steps. */
export async function finishSteps(db: Database): Promise<void> {
  for (let isLeft = true; isLeft; ) {
    const moved = await moves.moveWaiting(db);
    isLeft = (await order.arrangeWaiting(db)) || moved !== null;
  }
}

/** A recovery of few, which is done with its first batch. */
export async function recoverDeliveries(db: Database, name: WebhookName, asked: RecoveryAsked) {
  const { queued } = await beginRecovery(db, name, asked);
  return { queued };
}
