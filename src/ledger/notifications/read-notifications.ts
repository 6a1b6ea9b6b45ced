import type { DeliveryStatus } from "../../domain/delivery/delivery.ts";
import { notFound } from "../../domain/not-found.ts";
import { type Page, type PageRequest, toPage } from "../../domain/page.ts";
import { Prisma } from "../generated/client.ts";
import { type Database, inSnapshot, reaching } from "../postgres/database.ts";

/** What was told, and how far it is from being heard. */
export type NotificationRow = {
  id: string;
  event: string;
  transactionId: string | null;
  body: string;
  createdAt: Date;
  status: DeliveryStatus;
  attempts: number;
  deliveredAt: Date | null;
};

/** `statusCode` and `errorKind` are both null where the answer is withheld from the business. */
export type AttemptRow = {
  number: number;
  startedAt: Date;
  latencyMs: number;
  statusCode: number | null;
  errorKind: string | null;
  response: string | null;
  isWithheld: boolean;
  nextDueAt: Date | null;
};

// Heard once is heard; else the latest delivery says. A waiting one whose webhook does not notify is held.
const select = Prisma.sql`
  SELECT n.id, n.event, n.transaction_id AS "transactionId", n.body, n.created_at AS "createdAt",
    coalesce(s.status, 'held') AS status, coalesce(s.attempts, 0)::int AS attempts, s.delivered_at AS "deliveredAt"
  FROM notification n LEFT JOIN LATERAL (
    SELECT CASE WHEN bool_or(d.status = 'delivered') THEN 'delivered'
        ELSE (array_agg(CASE
          WHEN d.status = 'waiting' AND (w.id IS NULL OR NOT w.is_active OR w.deleted_at IS NOT NULL) THEN 'held'
          ELSE d.status END ORDER BY d.seq DESC))[1] END AS status,
      sum((SELECT count(*) FROM attempt a WHERE a.delivery_id = d.id)) AS attempts,
      min(d.delivered_at) AS delivered_at
    FROM delivery d LEFT JOIN webhook w ON w.id = d.webhook_id WHERE d.notification_id = n.id
  ) s ON true`;

/** A business's notifications, newest first by id. */
export async function readNotifications(
  db: Database,
  asked: { businessId: string; transactionId: string | null; page: PageRequest },
): Promise<Page<NotificationRow>> {
  const { businessId, transactionId, page } = asked;
  const where = [
    Prisma.sql`n.business_id = ${businessId}::uuid`,
    ...(transactionId === null ? [] : [Prisma.sql`n.transaction_id = ${transactionId}::uuid`]),
    ...(page.afterId === null ? [] : [Prisma.sql`n.id < ${page.afterId}::uuid`]),
  ];
  const rows = await reaching(
    () => db.$queryRaw<NotificationRow[]>`
      ${select} WHERE ${Prisma.join(where, " AND ")} ORDER BY n.id DESC LIMIT ${page.limit + 1}`,
  );
  return toPage(rows, page.limit);
}

/** One notification with every attempt, oldest first. Another business's is not found. @throws Fault `notification_not_found` */
export async function readNotification(
  db: Database,
  asked: { businessId: string; notificationId: string },
): Promise<NotificationRow & { attemptLog: AttemptRow[] }> {
  const { businessId, notificationId } = asked;
  return inSnapshot(db, async (tx) => {
    const rows = await tx.$queryRaw<NotificationRow[]>`
      ${select} WHERE n.id = ${notificationId}::uuid AND n.business_id = ${businessId}::uuid`;
    const row = rows[0];
    if (row === undefined) throw notFound("notification_not_found");
    const attemptLog = await tx.$queryRaw<AttemptRow[]>`
      SELECT a.number, a.started_at AS "startedAt", a.latency_ms AS "latencyMs", a.status_code AS "statusCode",
        a.error_kind AS "errorKind", a.response, a.status_code IS NOT NULL AND a.response IS NULL AS "isWithheld",
        a.next_due_at AS "nextDueAt"
      FROM attempt a JOIN delivery d ON d.id = a.delivery_id
      WHERE d.notification_id = ${notificationId}::uuid ORDER BY a.id`;
    return { ...row, attemptLog };
  });
}
