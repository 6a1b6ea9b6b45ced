import type {
  AnyNotificationName,
  AnyNotificationsAsked,
  FullNotification,
  NotificationDetail,
  NotificationFilter,
  NotificationsAsked,
  OwnedNotification,
  RecordedNotification,
} from "../../domain/delivery/recorded-notification.ts";
import { requireFound } from "../../domain/not-found.ts";
import { type Page, toPage } from "../../domain/page.ts";
import { joinDeliveryState } from "../deliveries/delivery-state.ts";
import { undeliveredNotifications } from "../deliveries/undelivered.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { readRows } from "../postgres/statements.ts";
import { inSnapshot } from "../postgres/transaction.ts";
import {
  type FeeRow,
  feeOf,
  moneyColumns,
  recorded,
} from "../transactions/read-recorded-transactions.ts";
import { readAttempts } from "./read-attempts.ts";

const selectAt = (webhookId: string | null) => Prisma.sql`
  SELECT n.id, n.business_id AS "businessId", n.event, n.transaction_id AS "transactionId", n.wallet_id AS "walletId", n.body, n.created_at AS "createdAt",
    s.status, s.attempts, s.delivered_at AS "deliveredAt"
  FROM notification n ${joinDeliveryState(webhookId)}`;

/**
 * A business's notifications, newest first by when they were written: their ids say when money
 * moved.
 */
export async function readNotifications(
  db: Database,
  asked: NotificationsAsked,
): Promise<Page<RecordedNotification>> {
  return listNotifications(db, asked);
}

/** The same page with what is known of each transaction: one look-up more for each row. */
export async function readFullNotifications(
  db: Database,
  asked: NotificationsAsked,
): Promise<Page<FullNotification>> {
  const rows = await readRows<RecordedNotification & FullFields>(
    db,
    // The page is read first, and only its rows are looked up.
    Prisma.sql`
      SELECT n.*, ${moneyColumns}, w.label
      FROM (${pageSql(asked)}) n LEFT JOIN transaction t ON t.id = n."transactionId"
        LEFT JOIN wallet w ON w.id = coalesce(t.wallet_id, n."walletId") ${recorded.join}
      ORDER BY n."createdAt" DESC, n.id DESC`,
  );
  return toPage(rows.map(toFull), asked.page.limit);
}

type FullFields = FeeRow & { usdValue: string | null; label: string | null };

function toFull(row: RecordedNotification & FullFields): FullNotification {
  return {
    id: row.id,
    event: row.event,
    transactionId: row.transactionId,
    body: row.body,
    createdAt: row.createdAt,
    status: row.status,
    attempts: row.attempts,
    deliveredAt: row.deliveredAt,
    usdValue: row.usdValue,
    label: row.label,
    fee: feeOf(row),
  };
}

/** The same of all businesses, or of one: the operator's. */
export async function listNotifications(
  db: Database,
  asked: AnyNotificationsAsked,
): Promise<Page<OwnedNotification>> {
  const rows = await readRows<OwnedNotification>(db, pageSql(asked));
  return toPage(rows, asked.page.limit);
}

/** A notification `n` is the business's. Null: it is anybody's. */
const isOf = (businessId: string | null): Prisma.Sql =>
  businessId === null ? Prisma.sql`true` : Prisma.sql`n.business_id = ${businessId}::uuid`;

/** One row more than the page has. */
function pageSql({ businessId, filter, page }: AnyNotificationsAsked): Prisma.Sql {
  const isOurs = isOf(businessId);
  const where = [isOurs, ...conditionsOf(filter, businessId)];
  if (page.afterId !== null) {
    // If retention has removed this notification, all the others left are newer, and there is no
    // next page.
    where.push(Prisma.sql`(n.created_at, n.id) < (
      (SELECT n.created_at FROM notification n WHERE n.id = ${page.afterId}::uuid AND ${isOurs}),
      ${page.afterId}::uuid)`);
  }
  return Prisma.sql`${selectAt(filter.webhookId ?? null)}
    WHERE ${Prisma.join(where, " AND ")} ORDER BY n.created_at DESC, n.id DESC LIMIT ${page.limit + 1}`;
}

function conditionsOf(filter: NotificationFilter, businessId: string | null): Prisma.Sql[] {
  const { event, status, transactionId, webhookId, from, to } = filter;
  const undelivered = { businessId, webhookId: webhookId ?? null };
  const conditions: Prisma.Sql[] = [];
  if (event !== undefined) conditions.push(Prisma.sql`n.event = ${event}`);
  if (status !== undefined) conditions.push(Prisma.sql`s.status = ${status}`);
  // Undelivered notifications are few, and have indexes of their own.
  if (status === "filtered") conditions.push(Prisma.sql`n.is_filtered`);
  else if (status !== undefined && status !== "delivered")
    conditions.push(Prisma.sql`n.id IN (${undeliveredNotifications(undelivered, status)})`);
  if (transactionId !== undefined)
    conditions.push(Prisma.sql`n.transaction_id = ${transactionId}::uuid`);
  if (webhookId !== undefined) {
    conditions.push(Prisma.sql`EXISTS (
      SELECT 1 FROM delivery d WHERE d.notification_id = n.id AND d.webhook_id = ${webhookId}::uuid
    )`);
  }
  if (from !== undefined) conditions.push(Prisma.sql`n.created_at >= ${from}`);
  if (to !== undefined) conditions.push(Prisma.sql`n.created_at < ${to}`);
  return conditions;
}

/**
 * One notification with every attempt, oldest first. Another business's is not found. @throws Fault
 * `notification_not_found`
 */
export async function readNotification(
  db: Database,
  name: AnyNotificationName,
): Promise<NotificationDetail> {
  const { businessId, notificationId } = name;
  return inSnapshot(db, async (tx) => {
    const rows = await tx.$queryRaw<OwnedNotification[]>`
      ${selectAt(null)} WHERE n.id = ${notificationId}::uuid AND ${isOf(businessId)}`;
    const row = requireFound(rows[0], "notification_not_found");
    const attemptLog = await readAttempts(tx, notificationId);
    return { ...row, attemptLog };
  });
}
