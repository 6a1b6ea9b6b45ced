import { idAt } from "../domain/id.ts";
import { eventOf, type NotificationState, notificationBody } from "../domain/notification.ts";
import { ringingTypes, type TransactionType } from "../domain/transaction.ts";
import type { Tx } from "./database.ts";

/** The channel that wakes the relay; the message is empty, the outbox says the rest. */
export const outboxChannel = "chainbell_outbox";

/**
 * Writes the notifications of a state that transactions have just entered, and a delivery for each, in the order
 * given (I6). Only deposits, withdrawals and payments ring; pending and dropped only for a business that asked. A
 * notification of the same (transaction, round, state) is there at most once: repeating changes nothing.
 */
export async function ring(
  tx: Tx,
  told: { state: NotificationState; transactionIds: string[] },
): Promise<{ rang: number }> {
  if (told.transactionIds.length === 0) return { rang: 0 };
  const subjects = await readSubjects(tx, told);
  if (subjects.length === 0) return { rang: 0 };
  const webhooks = await readWebhooks(tx, [
    ...new Set(subjects.map((subject) => subject.businessId)),
  ]);
  const now = new Date();
  const notifications = subjects.map((subject) => toNotification(told.state, subject, now));
  const inserted = await insertNotifications(tx, notifications);
  const deliveries = notifications
    .filter((notification) => inserted.has(notification.id))
    .map(({ id, businessId }, place) => ({
      place,
      id: idAt(now.getTime()),
      notificationId: id,
      businessId,
      webhookId: webhooks.get(businessId) ?? null,
    }));
  if (deliveries.length > 0) await insertDeliveries(tx, deliveries);
  return { rang: deliveries.length };
}

type SubjectRow = {
  id: string;
  businessId: string;
  type: string;
  txHash: string;
  amount: string;
  assetCode: string;
  assetDecimals: number;
  chainName: string;
  fromAddress: string;
  toAddress: string;
  walletId: string;
  reference: string | null;
  blockNumber: bigint;
  round: number;
  confirmedNotificationId: string | null;
};

async function readSubjects(
  tx: Tx,
  told: { state: NotificationState; transactionIds: string[] },
): Promise<SubjectRow[]> {
  const onlyAsked = told.state === "pending" || told.state === "dropped";
  return tx.$queryRaw<SubjectRow[]>`
    SELECT t.id, t.business_id AS "businessId", t.type, t.tx_hash AS "txHash", t.amount::text, a.code AS "assetCode",
      a.decimals AS "assetDecimals", t.chain_name AS "chainName", t.from_address AS "fromAddress",
      t.to_address AS "toAddress", t.wallet_id AS "walletId", w.reference, t.block_number AS "blockNumber", t.round,
      n.id AS "confirmedNotificationId"
    FROM unnest(${told.transactionIds}::uuid[]) WITH ORDINALITY AS told(id, place)
      JOIN transaction t ON t.id = told.id
      JOIN asset a ON a.id = t.asset_id
      JOIN wallet w ON w.id = t.wallet_id
      JOIN business b ON b.id = t.business_id
      LEFT JOIN notification n ON n.transaction_id = t.id AND n.round = t.round AND n.state = 'confirmed'
    WHERE t.type = ANY(${[...ringingTypes]}) AND (b.notify_pending OR NOT ${onlyAsked})
    ORDER BY told.place`;
}

/**
 * The current webhook of each business. Registering or replacing one locks the business row; taking a share of that lock
 * first, in a statement of its own, means that the second statement sees the outcome: no delivery is tied to a webhook that has just
 * been replaced, nor left without one that was just registered.
 */
async function readWebhooks(tx: Tx, businessIds: string[]): Promise<Map<string, string>> {
  await tx.$executeRaw`SELECT 1 FROM business WHERE id = ANY(${businessIds}::uuid[]) ORDER BY id FOR SHARE`;
  const rows = await tx.webhook.findMany({
    where: { businessId: { in: businessIds }, deletedAt: null },
    select: { id: true, businessId: true },
  });
  return new Map(rows.map((row) => [row.businessId, row.id]));
}

function toNotification(state: NotificationState, row: SubjectRow, happenedAt: Date) {
  const id = idAt(happenedAt.getTime());
  const type = row.type as TransactionType;
  const subject = { ...row, type, transactionId: row.id, amountAtomic: BigInt(row.amount) };
  const reverses = state === "reversed" ? row.confirmedNotificationId : null;
  return {
    id,
    businessId: row.businessId,
    transactionId: row.id,
    round: row.round,
    state,
    event: eventOf(state, type),
    createdAt: happenedAt.toISOString(),
    body: notificationBody({
      id,
      state,
      happenedAt,
      subject,
      ...(reverses === null ? {} : { reversesNotificationId: reverses }),
    }),
  };
}

async function insertNotifications(
  tx: Tx,
  rows: ReturnType<typeof toNotification>[],
): Promise<Set<string>> {
  const inserted = await tx.$queryRaw<{ id: string }[]>`
    INSERT INTO notification (id, business_id, transaction_id, round, state, event, body, created_at)
    SELECT id, "businessId", "transactionId", round, state, event, body, "createdAt"
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r(
      id uuid, "businessId" uuid, "transactionId" uuid, round int, state text, event text, body text,
      "createdAt" timestamptz)
    ON CONFLICT (transaction_id, round, state) DO NOTHING
    RETURNING id`;
  return new Set(inserted.map((row) => row.id));
}

type DeliveryRow = {
  id: string;
  notificationId: string;
  businessId: string;
  webhookId: string | null;
};

async function insertDeliveries(tx: Tx, rows: DeliveryRow[]): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO delivery (id, notification_id, business_id, webhook_id)
    SELECT r.id, r."notificationId", r."businessId", r."webhookId"
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r(
      id uuid, "notificationId" uuid, "businessId" uuid, "webhookId" uuid, place int)
    ORDER BY r.place`;
  await wakeRelay(tx);
}

/** Wakes the relay when the transaction commits; PostgreSQL folds the wake-ups of one transaction into one. */
export async function wakeRelay(tx: Tx): Promise<void> {
  await tx.$executeRaw`SELECT pg_notify(${outboxChannel}, '')`;
}
