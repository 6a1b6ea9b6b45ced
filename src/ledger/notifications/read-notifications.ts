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
import { asSearch } from "../postgres/as-search.ts";
import type { Database } from "../postgres/database.ts";
import { readRows } from "../postgres/statements.ts";
import { inSnapshot } from "../postgres/transaction.ts";
import { readNamedWallets } from "../transactions/named-wallets.ts";
import {
  type FeeRow,
  feeOf,
  moneyColumns,
  recorded,
} from "../transactions/read-recorded-transactions.ts";
import { aboutWallets } from "./about-wallets.ts";
import { readAttempts } from "./read-attempts.ts";

const selectAt = (webhookId: string | null) => Prisma.sql`
  SELECT n.id, n.business_id AS "businessId", n.event, n.transaction_id AS "transactionId", n.wallet_id AS "walletId", n.body, n.created_at AS "createdAt",
    s.status, s.attempts, s.delivered_at AS "deliveredAt"
  FROM notification n ${joinDeliveryState(webhookId)}`;

/**
 * A business's notifications, newest first by the time of their creation. Their ids cannot give
 * that order: an id has the time at which money moved.
 */
export async function readNotifications(
  db: Database,
  asked: NotificationsAsked,
): Promise<Page<RecordedNotification>> {
  return listNotifications(db, asked);
}

/** The same page with the facts of each transaction, by one more look-up for each row. */
export async function readFullNotifications(
  db: Database,
  asked: NotificationsAsked,
): Promise<Page<FullNotification>> {
  const rows = await readPage<RecordedNotification & FullFields>(
    db,
    asked,
    // The page is read first, so that only its rows are looked up.
    (page) => Prisma.sql`
      SELECT n.*, ${moneyColumns}, w.label
      FROM (${page}) n LEFT JOIN transaction t ON t.id = n."transactionId"
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

/** The same for the operator: of all businesses, or of one. */
export async function listNotifications(
  db: Database,
  asked: AnyNotificationsAsked,
): Promise<Page<OwnedNotification>> {
  const rows = await readPage<OwnedNotification>(db, asked);
  return toPage(rows, asked.page.limit);
}

/**
 * The rows of a page. A filter by a wallet's name is read as a search.
 * @throws Fault `invalid_request` if the text matches too much
 */
async function readPage<Row>(
  db: Database,
  asked: AnyNotificationsAsked,
  shownOf: (page: Prisma.Sql) => Prisma.Sql = (page) => page,
): Promise<Row[]> {
  const { businessId, filter } = asked;
  const { named } = filter;
  if (named === undefined) return readRows<Row>(db, shownOf(pageSql(asked, [])));
  return asSearch(db, async (tx) => {
    const walletIds = await readNamedWallets(tx, { businessId, named, chainName: undefined });
    const isAbout = await aboutWallets(tx, walletIds);
    return tx.$queryRaw<Row[]>`${shownOf(pageSql(asked, [isAbout]))}`;
  });
}

/** Condition: the notification `n` is of the business; null: of any. */
const isOf = (businessId: string | null): Prisma.Sql =>
  businessId === null ? Prisma.sql`true` : Prisma.sql`n.business_id = ${businessId}::uuid`;

/** Selects one row more than the page. `further`: conditions besides those of the filter. */
function pageSql(
  { businessId, filter, page }: AnyNotificationsAsked,
  further: readonly Prisma.Sql[],
): Prisma.Sql {
  const isOurs = isOf(businessId);
  const where = [isOurs, ...conditionsOf(filter, businessId), ...further];
  if (page.afterId !== null) {
    // If retention has deleted the notification of the cursor, only newer ones are left, and the
    // next page is empty.
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
  // Undelivered notifications are few, and have their own indexes.
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
 * Reads one notification with all its attempts, oldest first.
 * @throws Fault `notification_not_found`, also for another business's
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
