import type { AnyNotificationName } from "../../domain/delivery/recorded-notification.ts";
import { Fault } from "../../domain/fault.ts";
import { idAt } from "../../domain/id.ts";
import { notFound } from "../../domain/not-found.ts";
import { wakeRelay } from "../postgres/outbox-channel.ts";
import type { Tx } from "../postgres/transaction.ts";
import { holdBusiness } from "../webhooks/lock-business.ts";
import { isAskedAbout } from "./delivery-state.ts";

/**
 * Sends a notification again, with the same body and id, to the business's first webhook or to the
 * given one. The new delivery is due now, has one attempt, and stands in no line. No filter
 * applies. A null business: an operator asks, for any notification.
 *
 * Two cases make no new delivery. A delivery that waits there for its next attempt becomes due now.
 * A given-up delivery that holds its wallet's line gets one more attempt. A delivery that stands
 * behind others in its line stays, and is sent in its turn as well.
 * @throws Fault `notification_not_found`, `webhook_not_found`, `webhook_inactive`;
 *   `delivery_in_flight` while a delivery is being sent or was asked for already
 */
export async function redeliver(
  tx: Tx,
  asked: AnyNotificationName & { webhookId?: string | undefined },
): Promise<{ deliveryId: string }> {
  const { businessId, notificationId, webhookId } = asked;
  const found = await tx.notification.findUnique({ where: { id: notificationId } });
  if (found === null || (businessId !== null && found.businessId !== businessId))
    throw notFound("notification_not_found");
  const owner = found.businessId;
  // Otherwise the webhook might end at this moment, and nobody would take the new delivery from it.
  await holdBusiness(tx, owner);
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM notification WHERE id = ${notificationId}::uuid FOR UPDATE`;
  if (rows.length === 0) throw notFound("notification_not_found");
  const webhook = await tx.webhook.findFirst({
    where: {
      businessId: owner,
      deletedAt: null,
      ...(webhookId === undefined ? { isAdditional: false } : { id: webhookId }),
    },
  });
  if (webhook === null && webhookId !== undefined) throw notFound("webhook_not_found");
  if (webhook === null || !webhook.isActive)
    throw new Fault(
      "webhook_inactive",
      "There is no active webhook: activate one, or register one.",
    );
  const { isAdditional } = webhook;
  await refuseInFlight(tx, notificationId, webhook.id);
  const deliveryId =
    (await bringForward(tx, notificationId, webhook.id)) ??
    (await tryAgainInPlace(tx, notificationId, webhook.id));
  await wakeRelay(tx);
  if (deliveryId !== null) return { deliveryId };
  if (!isAdditional)
    await tx.notification.updateMany({
      where: { id: notificationId, isFiltered: true },
      data: { isFiltered: false },
    });
  const id = idAt(Date.now());
  const before = await tx.delivery.findFirst({
    where: { notificationId, ...(isAdditional ? { webhookId: webhook.id } : { isAdditional }) },
    orderBy: { seq: "asc" },
    select: { previousId: true },
  });
  await tx.delivery.create({
    data: {
      id,
      previousId: before?.previousId ?? null,
      notificationId,
      businessId: owner,
      webhookId: webhook.id,
      isAdditional,
      listedAt: isAdditional ? found.createdAt : null,
      maxAttempts: 1,
    },
  });
  return { deliveryId: id };
}

async function bringForward(
  tx: Tx,
  notificationId: string,
  webhookId: string,
): Promise<string | null> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    UPDATE delivery SET due_at = now(), claim_token = NULL, claim_expires_at = NULL, begun_at = NULL
    WHERE notification_id = ${notificationId}::uuid AND webhook_id = ${webhookId}::uuid AND status = 'waiting' AND NOT is_behind
      AND (claim_expires_at IS NULL OR claim_expires_at <= now())
    RETURNING id`;
  return rows[0]?.id ?? null;
}

/**
 * Gives a given-up delivery that holds its wallet's line one more attempt. If the receiver accepts
 * it, the next in line follows.
 */
async function tryAgainInPlace(
  tx: Tx,
  notificationId: string,
  webhookId: string,
): Promise<string | null> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    UPDATE delivery SET status = 'waiting', due_at = now(), attempts = 0, max_attempts = 1
    WHERE notification_id = ${notificationId}::uuid AND webhook_id = ${webhookId}::uuid AND status = 'exhausted'
      AND wallet_id IS NOT NULL RETURNING id`;
  return rows[0]?.id ?? null;
}

/**
 * Refuses while a delivery is being sent. A waiting delivery with one attempt counts too, so that
 * two presses of a button make one delivery.
 */
async function refuseInFlight(tx: Tx, notificationId: string, webhookId: string): Promise<void> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM delivery d WHERE notification_id = ${notificationId}::uuid AND status = 'waiting' AND ${isAskedAbout(webhookId)}
      AND (claim_expires_at > now() OR max_attempts = 1) LIMIT 1`;
  if (rows.length > 0) {
    throw new Fault(
      "delivery_in_flight",
      "A delivery of this notification is under way: wait for its outcome.",
    );
  }
}
