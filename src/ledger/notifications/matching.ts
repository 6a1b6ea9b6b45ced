import { type AskedStatus, undeliveredStatuses } from "../../domain/delivery/delivery.ts";
import { eventOf } from "../../domain/delivery/notification.ts";
import type {
  AnyNotificationsAsked,
  NotificationFilter,
} from "../../domain/delivery/recorded-notification.ts";
import { notifiedTypes } from "../../domain/money/transaction.ts";
import { type Candidates, findUndelivered, hasDelivery } from "../deliveries/undelivered.ts";
import { Prisma } from "../generated/client.ts";
import type { Statements } from "../postgres/statements.ts";
import { words } from "../postgres/words.ts";

/** The columns of a notification `n` in a list, with its state `s`. */
export const columns = Prisma.sql`n.id, n.business_id AS "businessId", n.event, n.transaction_id AS "transactionId",
  n.wallet_id AS "walletId", n.body, n.created_at AS "createdAt", s.status, s.delivered_at AS "deliveredAt"`;

/** Condition: all of these hold. True without any. */
export const all = (conditions: readonly Prisma.Sql[]): Prisma.Sql =>
  conditions.length === 0 ? Prisma.sql`true` : Prisma.join([...conditions], " AND ");

/** Condition: the notification `n` is of the business; null: of any. */
export const isOf = (businessId: string | null): Prisma.Sql =>
  businessId === null ? Prisma.sql`true` : Prisma.sql`n.business_id = ${businessId}::uuid`;

/**
 * Condition: the notification `n` is of a chain. One without a place in a stream is of its
 * transaction's chain, or of the one that its body names. PostgreSQL has statistics of the first
 * half alone. With one expression for all it would expect few rows, and sort all that match.
 */
const isOfChain = (name: string): Prisma.Sql => Prisma.sql`(
  n.chain_name = ${name} OR n.chain_name IS NULL AND coalesce(
    (SELECT t.chain_name FROM transaction t WHERE t.id = n.transaction_id), n.body::jsonb #>> '{data,blockchain}') = ${name})`;

/** Conditions on a notification `n`: those of a filter, but for its status, asset and wallets. */
export function conditionsOf(filter: NotificationFilter): Prisma.Sql[] {
  const { webhookId } = filter;
  const isAtWebhook =
    webhookId === undefined || webhookId === "any" ? [] : [isWrittenFor(webhookId.id)];
  return [...subjectOf(filter), ...isAtWebhook, ...writtenIn(filter, Prisma.sql`n.created_at`)];
}

/** Those of its event, its transaction and its chain. */
export function subjectOf(filter: NotificationFilter): Prisma.Sql[] {
  const { event, transactionId, chainName } = filter;
  const conditions: Prisma.Sql[] = [];
  if (event !== undefined) conditions.push(Prisma.sql`n.event = ${event}`);
  if (transactionId !== undefined)
    conditions.push(Prisma.sql`n.transaction_id = ${transactionId}::uuid`);
  if (chainName !== undefined) conditions.push(isOfChain(chainName));
  return conditions;
}

/** Condition: the notification `n` has a delivery to the webhook. */
export const isWrittenFor = (webhookId: string): Prisma.Sql => Prisma.sql`EXISTS (
  SELECT FROM delivery d WHERE d.notification_id = n.id AND d.webhook_id = ${webhookId}::uuid OFFSET 0)`;

/** Conditions on a creation time: it is in the time of a filter. */
export function writtenIn({ from, to }: NotificationFilter, time: Prisma.Sql): Prisma.Sql[] {
  const conditions: Prisma.Sql[] = [];
  if (from !== undefined) conditions.push(Prisma.sql`${time} >= ${from}`);
  if (to !== undefined) conditions.push(Prisma.sql`${time} < ${to}`);
  return conditions;
}

/** True if few notifications have the event: notification_seldom_idx finds them. */
export const isSeldom = (event: string | undefined): event is string =>
  event !== undefined && !usualEvents.includes(event);

/** The events that notification_seldom_idx leaves out. */
const usualEvents: readonly string[] = notifiedTypes.map((type) => eventOf("confirmed", type));

/** The notifications that may have the status of a filter, and the condition on their state `s`. */
type StatusFilter = { candidates: Candidates | null; isOfStatus: Prisma.Sql };

export async function withStatus(
  on: Statements,
  { businessId, filter: { status, webhookId } }: AnyNotificationsAsked,
): Promise<StatusFilter> {
  if (status === undefined) return { candidates: null, isOfStatus: Prisma.sql`true` };
  const statuses = status === "undelivered" ? undeliveredStatuses : [status];
  const isOfStatus = Prisma.sql`s.status IN (${words(statuses)})`;
  const at = webhookId === "any" ? null : { id: webhookId?.id ?? null };
  return { isOfStatus, candidates: await candidatesOf(on, { businessId, at }, status) };
}

async function candidatesOf(
  on: Statements,
  of: Parameters<typeof findUndelivered>[1],
  status: AskedStatus,
): Promise<Candidates> {
  if (status === "delivered") {
    // A notification has no delivery to the first webhook if its filter left it out.
    const isFirst = of.at !== null && of.at.id === null;
    const mayBe = isFirst ? Prisma.sql`NOT n.is_filtered AND` : Prisma.empty;
    return { kind: "many", condition: Prisma.sql`${mayBe} ${hasDelivery(of, status)}` };
  }
  if (status !== "filtered") return findUndelivered(on, of, status);
  // A webhook that is named has a delivery of each of its notifications.
  const isNamed = of.at !== null && of.at.id !== null;
  return isNamed
    ? { kind: "few", ids: [] }
    : { kind: "many", condition: Prisma.sql`n.is_filtered` };
}
