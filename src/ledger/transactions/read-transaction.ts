import type {
  NotificationDelivery,
  TransactionDetail,
  TransactionNotification,
} from "../../domain/delivery/transaction-detail.ts";
import { requireFound } from "../../domain/not-found.ts";
import { joinDeliveryState, joinEachState } from "../deliveries/delivery-state.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { inSnapshot, type Tx } from "../postgres/transaction.ts";
import { type RecordedRow, recorded, toRecorded } from "./read-recorded-transactions.ts";

/**
 * Reads one transaction with all its fields. `businessId` null: of any business.
 * @throws Fault `transaction_not_found`, also for another business's
 */
export async function readTransaction(
  db: Database,
  asked: { businessId: string | null; transactionId: string },
): Promise<TransactionDetail> {
  const { businessId, transactionId } = asked;
  const isOurs =
    businessId === null ? Prisma.sql`true` : Prisma.sql`t.business_id = ${businessId}::uuid`;
  return inSnapshot(db, async (tx) => {
    const rows = await tx.$queryRaw<(RecordedRow & { businessId: string })[]>`
      SELECT t.business_id AS "businessId", ${recorded.columns} FROM transaction t ${recorded.join}
      WHERE t.id = ${transactionId}::uuid AND ${isOurs}`;
    const row = requireFound(rows[0], "transaction_not_found");
    return {
      ...toRecorded(row),
      businessId: row.businessId,
      notifications: await readNotifications(tx, transactionId),
    };
  });
}

async function readNotifications(
  tx: Tx,
  transactionId: string,
): Promise<TransactionNotification[]> {
  const rows = await tx.$queryRaw<Omit<TransactionNotification, "deliveries">[]>`
    SELECT n.id, n.event, s.status, s.attempts, n.created_at AS "createdAt", s.delivered_at AS "deliveredAt",
      (SELECT max(a.started_at) FROM delivery d JOIN attempt a ON a.delivery_id = d.id
        WHERE d.notification_id = n.id) AS "lastAttemptAt",
      CASE WHEN s.status = 'waiting' THEN (SELECT min(d.due_at) FROM delivery d
        WHERE d.notification_id = n.id AND d.status = 'waiting') END AS "nextAttemptAt",
      n.body::jsonb #>> '{data,reversesNotificationId}' AS "reversesNotificationId"
    FROM notification n ${joinDeliveryState()}
    WHERE n.transaction_id = ${transactionId}::uuid ORDER BY n.created_at, n.id`;
  const deliveries = await tx.$queryRaw<(NotificationDelivery & { notificationId: string })[]>`
    SELECT n.id AS "notificationId", s.webhook_id AS "webhookId", w.url, s.status, s.attempts, s.delivered_at AS "deliveredAt"
    FROM notification n ${joinEachState} LEFT JOIN webhook w ON w.id = coalesce(s.webhook_id, (
      SELECT d.webhook_id FROM delivery d WHERE d.notification_id = n.id AND NOT d.is_additional
      ORDER BY d.seq DESC, d.id DESC LIMIT 1))
    WHERE n.transaction_id = ${transactionId}::uuid ORDER BY s.webhook_id NULLS FIRST`;
  return rows.map((row) => ({
    ...row,
    deliveries: deliveries.filter(({ notificationId }) => notificationId === row.id),
  }));
}
