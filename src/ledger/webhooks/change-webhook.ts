import { isDeepStrictEqual } from "node:util";
import { Fault } from "../../domain/fault.ts";
import { notFound } from "../../domain/not-found.ts";
import type { WebhookFilter } from "../../domain/webhook/filter.ts";
import type {
  WebhookChange,
  WebhookName,
  WebhookRegistration,
} from "../../domain/webhook/registration.ts";
import { lookByIndex } from "../postgres/look-by-index.ts";
import type { Tx } from "../postgres/transaction.ts";
import { readFilter, toStored } from "./filters.ts";
import { holdBusiness, lockBusiness } from "./lock-business.ts";
import { cancelSome, countWaiting } from "./move-waiting.ts";
import { changeOrder } from "./order.ts";
import { retryNow } from "./retry-now.ts";
import { activate, closeCircuit, readRegistration, readUrls } from "./webhooks.ts";

/**
 * Changes the given settings of a webhook. Its id and secret stay. Deliveries of an inactive
 * webhook are held. Activating it resets its health and makes waiting retries due now (see
 * retryNow). The caller knows that the receiver is back. A filter applies to notifications that are
 * written afterwards.
 * @throws Fault `webhook_not_found`; `invalid_request` for a filter that can match nothing, and for
 *   the URL of another webhook of the business
 */
export async function changeWebhook(
  tx: Tx,
  name: WebhookName,
  change: WebhookChange,
): Promise<WebhookRegistration> {
  const id = await lockCurrentWebhook(tx, name, decidesWays(change) ? lockBusiness : holdBusiness);
  const { url, isActive, description, rate, filter } = change;
  await changeOrder(tx, id, change);
  if (url !== undefined) await changeUrl(tx, id, url);
  if (description !== undefined) await tx.webhook.update({ where: { id }, data: { description } });
  if (rate !== undefined) await tx.webhook.update({ where: { id }, data: { rate } });
  if (filter !== undefined) await changeFilter(tx, id, filter);
  await changeOutbound(tx, id, change);
  if (isActive === true) {
    await retryNow(tx, id);
    return activate(tx, id);
  }
  if (isActive === false) await deactivate(tx, id);
  return readRegistration(tx, id);
}

/**
 * True if the next notifications go another way after the change, or if another webhook may not
 * have its URL. Commits that notify the business wait for such a change, and for no other.
 */
function decidesWays({ url, filter, isOrdered, holdsExhausted }: WebhookChange): boolean {
  return [url, filter, isOrdered, holdsExhausted].some((one) => one !== undefined);
}

/**
 * Deletes a webhook and cancels its waiting deliveries, and for a first one those that replaced
 * ones still have. Nothing is sent from here on. Cancels some now, and `moveWaiting` the others.
 * No other webhook becomes the first. A first webhook that is registered later can recover the
 * deliveries of the deleted one.
 * @returns how many deliveries are cancelled
 * @throws Fault `webhook_not_found`
 */
export async function deleteWebhook(tx: Tx, name: WebhookName): Promise<{ cancelled: number }> {
  const id = await lockCurrentWebhook(tx, name);
  await tx.$executeRaw`UPDATE webhook SET deleted_at = now(), is_active = false WHERE id = ${id}::uuid`;
  const ended = await tx.$queryRaw<{ id: string }[]>`
    UPDATE webhook w SET leaves_waiting = true, cancels_waiting = true
    WHERE w.id = ${id}::uuid OR w.leaves_waiting AND NOT w.cancels_waiting AND w.business_id = (
      SELECT business_id FROM webhook WHERE id = ${id}::uuid AND NOT is_additional)
    RETURNING w.id`;
  await lookByIndex(tx);
  let cancelled = 0;
  for (const one of ended) cancelled += await countWaiting(tx, one.id);
  await cancelSome(tx, id);
  return { cancelled };
}

/**
 * Locks a current webhook and its business. Every change of the way that notifications go takes
 * this lock. With `holdBusiness` as `lock`, the business is only kept from such changes.
 * @throws Fault `webhook_not_found`, also for another business's
 */
export async function lockCurrentWebhook(
  tx: Tx,
  name: WebhookName,
  lock = lockBusiness,
): Promise<string> {
  const { businessId, webhookId } = name;
  const owner = await tx.webhook.findUnique({
    where: { id: webhookId },
    select: { businessId: true },
  });
  if (owner === null || (businessId !== null && owner.businessId !== businessId))
    throw notFound("webhook_not_found");
  await lock(tx, owner.businessId);
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM webhook WHERE id = ${webhookId}::uuid AND deleted_at IS NULL FOR NO KEY UPDATE`;
  if (rows.length === 0) throw notFound("webhook_not_found");
  return webhookId;
}

/**
 * Changes the URL and resets the health, since this is another receiver. Two webhooks with one URL
 * are refused: they would send everything twice, with two secrets.
 */
async function changeUrl(tx: Tx, id: string, url: string): Promise<void> {
  const { businessId } = await tx.webhook.findUniqueOrThrow({
    where: { id },
    select: { businessId: true },
  });
  const all = await readUrls(tx, businessId);
  if (all.some((one) => one.url === url && one.id !== id)) {
    throw new Fault("invalid_request", "Another webhook of the business has this url.", {
      facts: { field: "url" },
    });
  }
  const { count } = await tx.webhook.updateMany({
    where: { id, url: { not: url } },
    data: { url, answeredAt: null },
  });
  if (count > 0) await closeCircuit(tx, id);
}

/**
 * Changes the filter. An equal filter stays as it is, and is not checked again. It may name a
 * wallet or an asset that is gone by now. A client may send it only to change another setting.
 */
async function changeFilter(tx: Tx, id: string, filter: WebhookFilter | null): Promise<void> {
  const { businessId, filter: stored } = await tx.webhook.findUniqueOrThrow({
    where: { id },
    select: { businessId: true, filter: true },
  });
  if (isDeepStrictEqual(filter, readFilter(stored))) return;
  await tx.webhook.update({ where: { id }, data: await toStored(tx, businessId, filter) });
}

const noPair = {
  ed25519Ciphertext: null,
  ed25519PublicKey: null,

  nextEd25519Ciphertext: null,
  nextEd25519PublicKey: null,
};

async function changeOutbound(tx: Tx, id: string, change: WebhookChange): Promise<void> {
  const { headers, clientCertificate, ed25519 } = change;
  const data = {
    ...(headers === undefined
      ? {}
      : { headersCiphertext: headers?.ciphertext ?? null, headerNames: headers?.names ?? [] }),
    ...(clientCertificate === undefined
      ? {}
      : {
          certificateCiphertext: clientCertificate?.ciphertext ?? null,
          certificateFingerprint: clientCertificate?.fingerprint ?? null,
          certificateExpiresAt: clientCertificate?.expiresAt ?? null,
        }),
    ...(ed25519 === null ? noPair : {}),
  };
  if (Object.keys(data).length > 0) await tx.webhook.update({ where: { id }, data });
  if (ed25519 === undefined || ed25519 === null) return;
  const { ciphertext, publicKey } = ed25519;
  await tx.webhook.updateMany({
    where: { id, ed25519Ciphertext: null },
    data: { ed25519Ciphertext: ciphertext, ed25519PublicKey: publicKey },
  });
}

async function deactivate(tx: Tx, id: string): Promise<void> {
  await tx.webhook.updateMany({
    where: { id, isActive: true },
    data: { isActive: false, disabledAt: new Date(), disabledReason: "requested" },
  });
}
