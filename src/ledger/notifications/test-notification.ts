import { type NotificationEvent, testState } from "../../domain/delivery/notification.ts";
import { testBodyOf } from "../../domain/delivery/sample-notification.ts";
import type { SentTest, TestNotification } from "../../domain/delivery/test-notification.ts";
import { Fault } from "../../domain/fault.ts";
import { idAt } from "../../domain/id.ts";
import type { SealedOutbound } from "../../domain/webhook/outbound.ts";
import type { WebhookName } from "../../domain/webhook/registration.ts";
import type { Database } from "../postgres/database.ts";
import { inTransaction } from "../postgres/transaction.ts";
import { lockCurrentWebhook } from "../webhooks/change-webhook.ts";
import { sealedOutbound } from "../webhooks/sealed-outbound.ts";

/** A business may send this many tests in one minute. */
const testsPerMinute = 10;

/**
 * Writes a test notification for a current webhook, active or not, with a delivery that no relay
 * takes. It counts as a test whatever its event. So no recovery sends it, and it stands in no
 * stream.
 * @throws Fault `webhook_not_found`; `rate_limited` after ten in a minute, with
 *   `facts.retryAfterMs`
 */
export async function beginTest(
  db: Database,
  name: WebhookName,
  event: NotificationEvent,
): Promise<TestNotification> {
  return inTransaction(db, async (tx) => {
    const webhookId = await lockCurrentWebhook(tx, name);
    const rows = await tx.$queryRaw<
      ({
        businessId: string;
        url: string;
        webhookVersion: number;
        signingCiphertext: string;
        nextCiphertext: string | null;
        recent: number;
      } & SealedOutbound)[]
    >`
      SELECT w.business_id AS "businessId", w.url, w.version AS "webhookVersion",
        CASE WHEN w.overlap_ends_at <= now() THEN w.next_secret_ciphertext ELSE w.secret_ciphertext END AS "signingCiphertext",
        CASE WHEN w.overlap_ends_at > now() THEN w.next_secret_ciphertext END AS "nextCiphertext", ${sealedOutbound},
        (SELECT count(*)::int FROM notification n WHERE n.business_id = w.business_id AND n.state = ${testState}
          AND n.created_at > now() - interval '1 minute') AS recent
      FROM webhook w WHERE w.id = ${webhookId}::uuid`;
    const webhook = rows[0];
    if (webhook === undefined) throw new Fault("invariant_broken", "A locked webhook is there.");
    if (webhook.recent >= testsPerMinute) {
      const facts = { retryAfterMs: 60_000 };
      throw new Fault(
        "rate_limited",
        `At most ${testsPerMinute} tests a minute: try again in a minute.`,
        { facts },
      );
    }
    const now = new Date();
    const { businessId, recent: _, ...target } = webhook;
    const ids = { notificationId: idAt(now.getTime()), deliveryId: idAt(now.getTime()) };
    const body = testBodyOf(event, ids.notificationId, now);
    await tx.notification.create({
      data: {
        id: ids.notificationId,
        businessId,
        state: testState,
        event,
        body,
        createdAt: now,
      },
    });
    // The status is `exhausted` until the one attempt is recorded, so that no other process sends
    // it.
    const delivery = {
      id: ids.deliveryId,
      notificationId: ids.notificationId,
      businessId,
      webhookId,
      listedAt: now,
    };
    await tx.delivery.create({ data: { ...delivery, status: "exhausted", maxAttempts: 1 } });
    return { ...ids, webhookId, ...target, body };
  });
}

/** Records the outcome of a test. The webhook's health and activation do not change. */
export async function recordTest(db: Database, test: SentTest): Promise<void> {
  const { notification, startedAt, latencyMs, result, isAccepted } = test;
  const answer =
    result.kind === "answered"
      ? { statusCode: result.statusCode, response: result.response }
      : { errorKind: result.errorKind };
  await inTransaction(db, async (tx) => {
    const { deliveryId, webhookId, webhookVersion } = notification;
    await tx.attempt.create({
      data: {
        deliveryId,
        webhookId,
        webhookVersion,
        number: 1,
        startedAt,
        latencyMs,
        ...answer,
      },
    });
    const outcome = isAccepted ? { status: "delivered", deliveredAt: new Date() } : {};
    await tx.delivery.update({ where: { id: deliveryId }, data: { attempts: 1, ...outcome } });
  });
}
