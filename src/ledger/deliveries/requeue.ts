import {
  type RecoveryAsked,
  type RecoveryPreview,
  recoveredByDefault,
} from "../../domain/delivery/delivery.ts";
import { matchesWritten, type WrittenNotice } from "../../domain/delivery/matches-written.ts";
import { testState } from "../../domain/delivery/notification.ts";
import { Fault } from "../../domain/fault.ts";
import { idAt } from "../../domain/id.ts";
import { notFound } from "../../domain/not-found.ts";
import type { WebhookName } from "../../domain/webhook/registration.ts";
import { Prisma } from "../generated/client.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import type { Database } from "../postgres/database.ts";
import { modelsOf } from "../postgres/models.ts";
import { wakeRelay } from "../postgres/outbox-channel.ts";
import { reaching } from "../postgres/reaching.ts";
import type { Statements } from "../postgres/statements.ts";
import { inSnapshot, type Tx } from "../postgres/transaction.ts";
import { lockCurrentWebhook } from "../webhooks/change-webhook.ts";
import { endQueuedClaim } from "../webhooks/end-queued-claim.ts";
import { isAskedAbout } from "./delivery-state.ts";

/**
 * Queues again, on a fresh schedule, the webhook's own notifications that were created in [since,
 * until), or since then. These are the held, exhausted and cancelled ones, or those that `include`
 * names, and of them those that `filter` names. Waiting ones have their next attempt now, and keep
 * their attempts. Where the webhook asks for an order, all of them stand in line by the order of
 * the ledger. Delivered and claimed ones are left alone. Safe to repeat.
 * @throws Fault `webhook_not_found`, `webhook_inactive`
 */
export async function recoverDeliveries(
  tx: Tx,
  name: WebhookName,
  asked: RecoveryAsked,
): Promise<{ queued: number }> {
  const id = await lockCurrentWebhook(tx, name);
  const webhook = await tx.webhook.findUniqueOrThrow({ where: { id } });
  if (!webhook.isActive) {
    throw new Fault(
      "webhook_inactive",
      "The webhook is inactive: activate it first, then recover.",
    );
  }
  const wanted = await readWanted(tx, webhook, asked);
  const queued = await tx.$executeRaw`
      WITH ${undeliveredOf(webhook, asked, wanted)}, undelivered AS (
        SELECT d.id, f.status = 'waiting' AS was_waiting FROM found f JOIN delivery d ON d.id = f.id
        WHERE f.status <> 'waiting' OR d.status = 'waiting' AND d.claim_token IS NULL
        ORDER BY d.id FOR NO KEY UPDATE OF d
      )
      UPDATE delivery d SET status = 'waiting', webhook_id = ${id}::uuid, due_at = now(), ${joinsLine(webhook)},
        attempts = CASE WHEN was_waiting THEN d.attempts ELSE 0 END,
        max_attempts = CASE WHEN was_waiting THEN d.max_attempts END, ${endQueuedClaim}
      FROM undelivered WHERE d.id = undelivered.id`;
  if (queued > 0) await wakeRelay(tx);
  return { queued };
}

/**
 * Says what `recoverDeliveries` would queue again at this moment. Changes nothing, and asks also
 * about a webhook that is inactive.
 * @throws Fault `webhook_not_found`
 */
export async function previewRecovery(
  db: Database,
  { businessId, webhookId }: WebhookName,
  asked: RecoveryAsked,
): Promise<RecoveryPreview> {
  const webhook = await reaching(() =>
    modelsOf(db).webhook.findFirst({
      where: { id: webhookId, deletedAt: null, ...(businessId === null ? {} : { businessId }) },
      select: { id: true, businessId: true },
    }),
  );
  if (webhook === null) throw notFound("webhook_not_found");
  return inSnapshot(db, async (tx) => {
    const wanted = await readWanted(tx, webhook, asked);
    const rows = await tx.$queryRaw<(RecoveryPreview["first"][number] & { count: number })[]>`
      WITH ${undeliveredOf(webhook, asked, wanted)}
      SELECT n.id, n.event, f.status, n.created_at AS "createdAt", count(*) OVER ()::int AS count
      FROM found f JOIN notification n ON n.id = f.notification_id ORDER BY n.created_at, n.id LIMIT 10`;
    return { count: rows[0]?.count ?? 0, first: rows.map(({ count: _, ...shown }) => shown) };
  });
}

type Receiver = { id: string; businessId: string };

/** The most bodies that are judged at a time. */
const judgedAtOnce = 1_000;

/** The deliveries of a recovery whose notifications its filter names. Null: there is no filter. */
async function readWanted(
  tx: Statements,
  webhook: Receiver,
  asked: RecoveryAsked,
): Promise<string[] | null> {
  const { filter } = asked;
  if (filter === undefined) return null;
  const found = await tx.$queryRaw<{ id: string }[]>`
    WITH ${undeliveredOf(webhook, asked, null)} SELECT id FROM found`;
  const usdValue =
    filter.minUsd === undefined
      ? Prisma.sql`NULL::text`
      : Prisma.sql`(SELECT t.usd_value::text FROM transaction t WHERE t.id = n.transaction_id)`;
  const wanted: string[] = [];
  for (let start = 0; start < found.length; start += judgedAtOnce) {
    const ids = found.slice(start, start + judgedAtOnce).map(({ id }) => id);
    const rows = await tx.$queryRaw<(WrittenNotice & { id: string })[]>`
      SELECT d.id, n.event, n.body, ${usdValue} AS "usdValue"
      FROM delivery d JOIN notification n ON n.id = d.notification_id
      WHERE d.id = ANY(${arrayLiteral(ids)}::uuid[])`;
    for (const row of rows) if (matchesWritten(filter, row)) wanted.push(row.id);
  }
  return wanted;
}

/**
 * A recovery finds these, as `found`: the latest delivery of each notification, and its status.
 * `wanted`: of these deliveries alone; null: of all.
 */
function undeliveredOf(
  { id, businessId }: Receiver,
  { since, until, include = recoveredByDefault }: RecoveryAsked,
  wanted: readonly string[] | null,
): Prisma.Sql {
  const isWanted =
    wanted === null ? Prisma.sql`true` : Prisma.sql`l.id = ANY(${arrayLiteral(wanted)}::uuid[])`;
  return Prisma.sql`latest AS (
      SELECT DISTINCT ON (d.notification_id) d.id, d.notification_id, d.claim_token, d.due_at,
        CASE WHEN d.status = 'waiting' AND d.webhook_id IS DISTINCT FROM ${id}::uuid THEN 'held' ELSE d.status END AS status
      FROM notification n JOIN delivery d ON d.notification_id = n.id
      WHERE n.business_id = ${businessId}::uuid AND n.state <> ${testState} AND ${isAskedAbout(id)}
        AND n.created_at >= ${since} AND (${until}::timestamptz IS NULL OR n.created_at < ${until})
      ORDER BY d.notification_id, d.wallet_id IS NULL, d.seq DESC, d.id DESC
    ), found AS (
      SELECT l.id, l.notification_id, l.status FROM latest l
      WHERE l.status = ANY(${[...include]}::text[]) AND ${isWanted}
        AND (l.status <> 'waiting' OR l.claim_token IS NULL AND l.due_at > now())
        AND NOT EXISTS (SELECT 1 FROM delivery d
          WHERE d.notification_id = l.notification_id AND d.status = 'delivered' AND ${isAskedAbout(id)})
    )`;
}

/**
 * Makes one more delivery of a notification to the business's first webhook, or to the given one,
 * with the same body and id. It is due now, has one attempt, and stands in no line. A delivery that
 * still waits there for its next attempt has it now instead. So nothing is sent twice for it. A
 * given-up delivery that holds its wallet is tried once more in its place. A delivery behind others
 * of its wallet is left there, and sent in its turn too. No filter is asked. A null business: the
 * operator's, of any notification.
 * @throws Fault `notification_not_found`, `webhook_not_found`, `webhook_inactive`;
 *   `delivery_in_flight` while one is being sent or queued there
 */
export async function redeliver(
  tx: Tx,
  asked: { businessId: string | null; notificationId: string; webhookId?: string | undefined },
): Promise<{ deliveryId: string }> {
  const { businessId, notificationId, webhookId } = asked;
  const rows = await tx.$queryRaw<{ businessId: string }[]>`
    SELECT business_id AS "businessId" FROM notification WHERE id = ${notificationId}::uuid FOR UPDATE`;
  const owner = rows[0]?.businessId;
  if (owner === undefined || (businessId !== null && owner !== businessId))
    throw notFound("notification_not_found");
  const webhook = await tx.webhook.findFirst({
    where: {
      businessId: owner,
      deletedAt: null,
      ...(webhookId === undefined ? { isAdditional: false } : { id: webhookId }),
    },
  });
  if (webhook === null && webhookId !== undefined) throw notFound("webhook_not_found");
  if (webhook === null || !webhook.isActive)
    throw new Fault("webhook_inactive", "There is no active webhook to deliver to.");
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
      maxAttempts: 1,
    },
  });
  return { deliveryId: id };
}

/**
 * Sets whether a delivery `d` that is queued again stands in line. It keeps the place that it had
 * there. A delivery that somebody asked for takes the place of its notification: of the first
 * delivery of it.
 */
const joinsLine = ({ isOrdered }: { isOrdered: boolean }): Prisma.Sql =>
  isOrdered
    ? Prisma.sql`
        wallet_id = CASE WHEN was_waiting THEN d.wallet_id ELSE coalesce(d.wallet_id, (
          SELECT coalesce(t.wallet_id, n.wallet_id) FROM notification n LEFT JOIN transaction t ON t.id = n.transaction_id
          WHERE n.id = d.notification_id)) END,
        is_behind = CASE WHEN was_waiting THEN d.is_behind ELSE d.is_behind OR d.wallet_id IS NULL AND d.begun_at IS NULL
          AND EXISTS (SELECT FROM notification n WHERE n.id = d.notification_id
            AND num_nonnulls(n.transaction_id, n.wallet_id) > 0) END,
        seq = CASE WHEN was_waiting OR d.wallet_id IS NOT NULL THEN d.seq ELSE (
          SELECT min(o.seq) FROM delivery o
          WHERE o.notification_id = d.notification_id AND o.is_additional = d.is_additional
            AND (NOT d.is_additional OR o.webhook_id = d.webhook_id)) END`
    : Prisma.sql`wallet_id = NULL, is_behind = false`;

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

/** One more attempt of a given-up delivery that holds its wallet: accepted, it lets the next go. */
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

/** A redelivery that waits counts too: two presses of a button are one delivery. */
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
