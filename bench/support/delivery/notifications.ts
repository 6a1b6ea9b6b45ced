import { randomBytes } from "node:crypto";
import type pg from "pg";
import { v7 as newId } from "uuid";
import { notificationBody } from "../../../src/domain/delivery/notification.ts";
import type { NotifiedBusiness } from "./notified-business.ts";

export type Notification = { id: string; business: NotifiedBusiness; body: string };

/** `count` notifications for each of the businesses, with the bodies that real deposits have. */
export function makeNotifications(
  businesses: readonly NotifiedBusiness[],
  count: number,
): Notification[] {
  const happenedAt = new Date();
  const make = (business: NotifiedBusiness): Notification => {
    const id = newId();
    const subject = { ...sameSubject, transactionId: newId() };
    const body = notificationBody({ id, state: "confirmed", happenedAt, subject });
    return { id, business, body };
  };
  // Business by business in turn, as a busy chain brings them.
  return Array.from({ length: count }, () => businesses.map(make)).flat();
}

const hex = (bytes: number): `0x${string}` => `0x${randomBytes(bytes).toString("hex")}`;

const sameSubject = {
  type: "deposit",
  txHash: hex(32),
  amountAtomic: 1_250_000n,
  assetCode: "USDC",
  assetDecimals: 6,
  chainName: "base",
  fromAddress: hex(20),
  toAddress: hex(20),

  memo: null,
  virtualAddress: null,
  lookalikeOf: null,
  walletId: newId(),
  reference: "order-1042",
  blockNumber: 24_000_000n,
  proof: "root",
  confirmedAlone: false,
} as const;

const rowsAtOnce = 5_000;

/**
 * Notifications with a delivery to each webhook of their business, as ledger commits leave them.
 * Wakes nobody: see `wakeRelay`.
 */
export async function insertNotifications(
  db: pg.Client,
  notifications: readonly Notification[],
): Promise<void> {
  for (let at = 0; at < notifications.length; at += rowsAtOnce) {
    const rows = notifications.slice(at, at + rowsAtOnce).map(({ id, business, body }) => ({
      id,
      business_id: business.id,
      webhook_ids: business.webhooks.map(({ webhookId }) => webhookId),
      body,
    }));
    await db.query(
      `WITH given AS (
        SELECT * FROM jsonb_to_recordset($1::jsonb) AS r(id uuid, business_id uuid, webhook_ids uuid[], body text)
      ), notified AS (
        INSERT INTO notification (id, business_id, state, event, body)
        SELECT id, business_id, 'confirmed', 'transaction.deposit', body FROM given
      )
      INSERT INTO delivery (id, notification_id, business_id, webhook_id)
      SELECT gen_random_uuid(), id, business_id, unnest(webhook_ids) FROM given`,
      [JSON.stringify(rows)],
    );
  }
}

/** As the transaction that makes deliveries due does. */
export async function wakeRelay(db: pg.Client): Promise<void> {
  await db.query("SELECT pg_notify('chainbell_outbox', '')");
}
