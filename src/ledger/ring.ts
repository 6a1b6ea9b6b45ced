import { Fault } from "../domain/fault.ts";
import { idAt } from "../domain/id.ts";
import { eventOf, type NotificationState, notificationBody } from "../domain/notification.ts";
import { ringingTypes, type TransactionType } from "../domain/transaction.ts";
import { arrayLiteral } from "./array-literal.ts";
import { kept } from "./statement.ts";
import type { Statements } from "./statements.ts";

/** The channel that wakes the relay; the message is empty, the outbox says the rest. */
export const outboxChannel = "chainbell_outbox";

/**
 * Writes the notifications of a state that transactions have just entered, and a delivery for each, in the order
 * given (I6). Only deposits, withdrawals and payments ring; pending and dropped only for a business that asked. A
 * notification of the same (transaction, round, state) is there at most once: repeating changes nothing.
 */
export async function ring(
  tx: Statements,
  told: { state: NotificationState; transactionIds: string[] },
): Promise<{ rang: number }> {
  if (told.transactionIds.length === 0) return { rang: 0 };
  return tell(tx, told.state, await readSubjects(tx, told));
}

/**
 * The same for transactions that were inserted as confirmed in this very transaction: what they are is at hand, and only what
 * their wallets and assets are called is read. That spares reading thousands of rows back.
 */
export async function ringInserted(
  tx: Statements,
  rows: readonly InsertedTransaction[],
): Promise<{ rang: number }> {
  const ringing = rows.filter(({ type }) => ringingTypes.some((one) => one === type));
  if (ringing.length === 0) return { rang: 0 };
  const references = await readReferences(tx, ringing);
  const assets = await readAssetNames(tx, ringing);
  const subjects = ringing.map((row) => {
    const asset = assets.get(row.assetId);
    if (asset === undefined) throw new Fault("invariant_broken", "A transaction has its asset.");
    return {
      id: row.id,
      businessId: row.businessId,
      type: row.type,
      txHash: row.txHash,
      amount: row.amount,
      assetCode: asset.code,
      assetDecimals: asset.decimals,
      chainName: row.chainName,
      fromAddress: row.fromAddress,
      toAddress: row.toAddress,
      walletId: row.walletId,
      reference: references.get(row.walletId) ?? null,
      blockNumber: BigInt(row.blockNumber),
      round: 0,
      confirmedNotificationId: null,
    };
  });
  return tell(tx, "confirmed", subjects);
}

async function tell(
  tx: Statements,
  state: NotificationState,
  subjects: readonly SubjectRow[],
): Promise<{ rang: number }> {
  if (subjects.length === 0) return { rang: 0 };
  const webhooks = await readWebhooks(tx, [
    ...new Set(subjects.map((subject) => subject.businessId)),
  ]);
  const now = new Date();
  const notifications = subjects.map((subject) =>
    toNotification(state, subject, {
      happenedAt: now,
      webhookId: webhooks.get(subject.businessId),
    }),
  );
  return { rang: await insertNotifications(tx, notifications) };
}

type InsertedTransaction = Pick<
  SubjectRow,
  | "id"
  | "businessId"
  | "type"
  | "txHash"
  | "amount"
  | "chainName"
  | "fromAddress"
  | "toAddress"
  | "walletId"
> & { assetId: number; blockNumber: string };

/** What the businesses call their wallets; those that have a name. */
async function readReferences(
  tx: Statements,
  rows: readonly InsertedTransaction[],
): Promise<Map<string, string>> {
  const ids = arrayLiteral([...new Set(rows.map(({ walletId }) => walletId))]);
  const found = await tx.$queryRaw<{ id: string; reference: string }[]>`
    SELECT id, reference FROM wallet WHERE id = ANY(${ids}::uuid[]) AND reference IS NOT NULL`;
  return new Map(found.map(({ id, reference }) => [id, reference]));
}

async function readAssetNames(tx: Statements, rows: readonly InsertedTransaction[]) {
  const ids = arrayLiteral([...new Set(rows.map(({ assetId }) => assetId))]);
  const found = await tx.$queryRaw<{ id: number; code: string; decimals: number }[]>`
    SELECT id, code, decimals FROM asset WHERE id = ANY(${ids}::int[])`;
  return new Map(found.map((asset) => [asset.id, asset]));
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
  tx: Statements,
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
async function readWebhooks(tx: Statements, businessIds: string[]): Promise<Map<string, string>> {
  await tx.$executeRaw`SELECT 1 FROM business WHERE id = ANY(${businessIds}::uuid[]) ORDER BY id FOR SHARE`;
  const rows = await tx.$queryRaw<{ id: string; businessId: string }[]>`
    SELECT id, business_id AS "businessId" FROM webhook
    WHERE business_id = ANY(${businessIds}::uuid[]) AND deleted_at IS NULL`;
  return new Map(rows.map((row) => [row.businessId, row.id]));
}

function toNotification(
  state: NotificationState,
  row: SubjectRow,
  ringing: { happenedAt: Date; webhookId: string | undefined },
) {
  const { happenedAt, webhookId } = ringing;
  const id = idAt(happenedAt.getTime());
  const type = row.type as TransactionType;
  // Field by field, as there are thousands: a spread costs as much as the whole rest.
  const subject = {
    transactionId: row.id,
    type,
    txHash: row.txHash,
    amountAtomic: BigInt(row.amount),
    assetCode: row.assetCode,
    assetDecimals: row.assetDecimals,
    chainName: row.chainName,
    fromAddress: row.fromAddress,
    toAddress: row.toAddress,
    walletId: row.walletId,
    reference: row.reference,
    blockNumber: row.blockNumber,
  };
  const reverses = state === "reversed" ? row.confirmedNotificationId : null;
  return {
    id,
    businessId: row.businessId,
    transactionId: row.id,
    round: row.round,
    state,
    event: eventOf(state, type),
    createdAt: happenedAt.toISOString(),
    deliveryId: idAt(happenedAt.getTime()),
    webhookId: webhookId ?? null,
    body: notificationBody({
      id,
      state,
      happenedAt,
      subject,
      ...(reverses === null ? {} : { reversesNotificationId: reverses }),
    }),
  };
}

/** A body is JSON, in which no line break stands for itself. */
const lineBreak = "\n";

/**
 * The notifications that are not there yet, and a delivery for each of those, in the order given. The relay wakes when the
 * transaction commits. One statement: a commit is mostly the way to the database and back.
 */
async function insertNotifications(
  tx: Statements,
  rows: readonly ReturnType<typeof toNotification>[],
): Promise<number> {
  const ids = arrayLiteral(rows.map(({ id }) => id));
  const businessIds = arrayLiteral(rows.map(({ businessId }) => businessId));
  const inserted = await tx.$queryRaw<{ rang: number }[]>`
    ${kept} WITH notified AS (
      INSERT INTO notification (id, business_id, transaction_id, round, state, event, body, created_at)
      SELECT * FROM unnest(${ids}::uuid[], ${businessIds}::uuid[],
        ${arrayLiteral(rows.map((row) => row.transactionId))}::uuid[],
        ${arrayLiteral(rows.map(({ round }) => round))}::int[],
        ${arrayLiteral(rows.map(({ state }) => state))}::text[],
        ${arrayLiteral(rows.map(({ event }) => event))}::text[],
        string_to_array(${rows.map(({ body }) => body).join(lineBreak)}, ${lineBreak}),
        ${arrayLiteral(rows.map(({ createdAt }) => createdAt))}::timestamptz[])
      ON CONFLICT (transaction_id, round, state) DO NOTHING
      RETURNING id
    ), rang AS (
      INSERT INTO delivery (id, notification_id, business_id, webhook_id)
      SELECT r.id, r.notification_id, r.business_id, r.webhook_id
      FROM unnest(${arrayLiteral(rows.map((row) => row.deliveryId))}::uuid[], ${ids}::uuid[], ${businessIds}::uuid[],
        ${arrayLiteral(rows.map((row) => row.webhookId))}::uuid[]
      ) WITH ORDINALITY AS r(id, notification_id, business_id, webhook_id, place)
        JOIN notified ON notified.id = r.notification_id
      ORDER BY r.place
      RETURNING id
    )
    SELECT count(*)::int AS rang, pg_notify(${outboxChannel}, '')::text FROM rang`;
  return inserted[0]?.rang ?? 0;
}

/** Wakes the relay when the transaction commits; PostgreSQL folds the wake-ups of one transaction into one. */
export async function wakeRelay(tx: Statements): Promise<void> {
  await tx.$executeRaw`SELECT pg_notify(${outboxChannel}, '')`;
}
