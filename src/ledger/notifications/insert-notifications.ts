import type { NotificationEvent, NotificationState } from "../../domain/delivery/notification.ts";
import type { Way } from "../../domain/webhook/interest.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import { outboxChannel } from "../postgres/outbox-channel.ts";
import { prepared } from "../postgres/statement.ts";
import type { Statements } from "../postgres/statements.ts";

/** A notification, and its deliveries. */
export type NewNotification = {
  id: string;
  businessId: string;
  transactionId: string;
  round: number;
  state: NotificationState;
  event: NotificationEvent;
  /** ISO 8601. */
  createdAt: string;
  body: string;
  deliveries: readonly ({ id: string } & Way)[];
};

/** A body is JSON, in which no line break stands for itself. */
const lineBreak = "\n";

/**
 * The notifications that are not there yet, and the deliveries of those, in the order given.
 * The relay wakes when the transaction commits. One statement: a commit is mostly the way to the
 * database and back.
 * @returns how many there were
 */
export async function insertNotifications(
  tx: Statements,
  rows: readonly NewNotification[],
): Promise<number> {
  const column = (read: (row: NewNotification) => string | number | null) =>
    arrayLiteral(rows.map(read));
  const ids = column(({ id }) => id);
  const businessIds = column(({ businessId }) => businessId);
  const deliveries = rows.flatMap(({ id, businessId, deliveries }) =>
    deliveries.map((one) => ({ ...one, notificationId: id, businessId })),
  );
  const queued = (read: (row: (typeof deliveries)[number]) => string | null) =>
    arrayLiteral(deliveries.map(read));
  const inserted = await tx.$queryRaw<{ notified: number }[]>`
    ${prepared} WITH written AS (
      INSERT INTO notification (id, business_id, transaction_id, round, state, event, body, created_at)
      SELECT * FROM unnest(${ids}::uuid[], ${businessIds}::uuid[],
        ${column(({ transactionId }) => transactionId)}::uuid[], ${column(({ round }) => round)}::int[],
        ${column(({ state }) => state)}::text[], ${column(({ event }) => event)}::text[],
        string_to_array(${rows.map(({ body }) => body).join(lineBreak)}, ${lineBreak}),
        ${column(({ createdAt }) => createdAt)}::timestamptz[])
      ON CONFLICT (transaction_id, round, state) DO NOTHING
      RETURNING id
    ), queued AS (
      INSERT INTO delivery (id, notification_id, business_id, webhook_id, is_additional)
      SELECT r.id, r.notification_id, r.business_id, r.webhook_id, r.is_additional
      FROM unnest(${queued(({ id }) => id)}::uuid[], ${queued(({ notificationId }) => notificationId)}::uuid[],
        ${queued(({ businessId }) => businessId)}::uuid[], ${queued(({ webhookId }) => webhookId)}::uuid[],
        ${queued(({ isAdditional }) => String(isAdditional))}::boolean[]
      ) WITH ORDINALITY AS r(id, notification_id, business_id, webhook_id, is_additional, place)
        JOIN written ON written.id = r.notification_id
      ORDER BY r.place
      RETURNING id
    )
    SELECT count(*)::int AS notified, pg_notify(${outboxChannel}, '')::text FROM written, (SELECT count(*) FROM queued) q`;
  return inserted[0]?.notified ?? 0;
}
