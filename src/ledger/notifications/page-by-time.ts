import type {
  AnyNotificationsAsked,
  NotificationFilter,
} from "../../domain/delivery/recorded-notification.ts";
import { joinDeliveryState } from "../deliveries/delivery-state.ts";
import { mostCollected } from "../deliveries/undelivered.ts";
import { Prisma } from "../generated/client.ts";
import { lookByIndex } from "../postgres/look-by-index.ts";
import type { Statements } from "../postgres/statements.ts";
import {
  all,
  columns,
  isOf,
  isSeldom,
  isWrittenFor,
  subjectOf,
  withStatus,
  writtenIn,
} from "./matching.ts";

/**
 * Selects one row more than the page, in the order of time. `further`: conditions besides those of
 * the filter. States are looked up after all else has matched. That goes row by row in the order of
 * the list, until the page is full.
 */
export async function pageSql(
  on: Statements,
  asked: AnyNotificationsAsked,
  further: readonly Prisma.Sql[],
): Promise<Prisma.Sql> {
  const { businessId, filter, page } = asked;
  const { candidates, isOfStatus } = await withStatus(on, asked);
  const webhook = await readNamedWebhook(on, asked);
  const judged = [...subjectOf(filter), ...further];
  const matching = [isOf(businessId), ...judged];
  if (candidates?.kind === "many") matching.push(candidates.condition);
  const isIn = placeOn(asked, { time: Prisma.sql`n.created_at`, id: Prisma.sql`n.id` });
  const matches = all([...matching, ...isIn, ...atNamed(webhook)]);
  const order = async () => {
    if (candidates?.kind === "few") return collected(candidates.ids, matches);
    if (webhook?.isAdditional !== true || isFoundOtherwise(filter)) return inOrder(matches);
    const written = writtenFor(webhook.id, asked);
    const isByWebhook = judged.length === 0 || (await isFew(on, written));
    return isByWebhook ? lookedUp(written, all(matching)) : inOrder(matches);
  };
  return Prisma.sql`
    SELECT ${columns}, s.webhook_id AS "webhookId", NULL AS "sortedAtomic", NULL AS "sortedDecimals"
    FROM (${await order()}) n ${joinDeliveryState(filter.webhookId ?? null)}
    WHERE ${isOfStatus} ORDER BY n.created_at DESC, n.id DESC LIMIT ${page.limit + 1}`;
}

/** True if another index finds what matches, however much was written for a webhook. */
const isFoundOtherwise = ({ transactionId, named, event }: NotificationFilter): boolean =>
  transactionId !== undefined || named !== undefined || isSeldom(event);

/** Selects the notifications that match, in the order of the list. */
const inOrder = (matches: Prisma.Sql): Prisma.Sql => Prisma.sql`
  SELECT * FROM notification n WHERE ${matches} ORDER BY n.created_at DESC, n.id DESC OFFSET 0`;

/**
 * Selects what was written for an additional webhook, in the order of the list. The index of these
 * deliveries has that order. A notification that was sent again has several of them.
 */
const writtenFor = (webhookId: string, asked: AnyNotificationsAsked): Prisma.Sql => Prisma.sql`
  SELECT DISTINCT d.listed_at AS created_at, d.notification_id AS id FROM delivery d
  WHERE ${all([
    Prisma.sql`d.webhook_id = ${webhookId}::uuid AND d.listed_at IS NOT NULL`,
    ...placeOn(asked, { time: Prisma.sql`d.listed_at`, id: Prisma.sql`d.notification_id` }),
  ])}
  ORDER BY d.listed_at DESC, d.notification_id DESC`;

/**
 * True if all of them may be looked up one by one. If there are many, a walk through all
 * notifications is faster, where few of them match.
 */
async function isFew(on: Statements, written: Prisma.Sql): Promise<boolean> {
  // Without statistics it would read the table whole.
  await lookByIndex(on);
  const [row] = await on.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM (${written} LIMIT ${mostCollected + 1}) k`;
  return (row?.count ?? 0) <= mostCollected;
}

/** Selects those of `written` that match. Notifications for other webhooks cost nothing. */
const lookedUp = (written: Prisma.Sql, matches: Prisma.Sql): Prisma.Sql => Prisma.sql`
  SELECT k.id, k.created_at, n.business_id, n.event, n.transaction_id, n.wallet_id, n.body
  FROM (${written} OFFSET 0) k CROSS JOIN LATERAL (SELECT * FROM notification n WHERE n.id = k.id OFFSET 0) n
  WHERE ${matches}`;

/** The same of those that are known by id. Their order comes first, so that few bodies are read. */
const collected = (ids: readonly string[], matches: Prisma.Sql): Prisma.Sql => Prisma.sql`
  SELECT k.id, k.created_at, n.business_id, n.event, n.transaction_id, n.wallet_id, n.body
  FROM (
    SELECT n.id, n.created_at FROM unnest(${[...ids]}::uuid[]) c(id)
      CROSS JOIN LATERAL (SELECT * FROM notification n WHERE n.id = c.id OFFSET 0) n
    WHERE ${matches} ORDER BY n.created_at DESC, n.id DESC OFFSET 0
  ) k CROSS JOIN LATERAL (SELECT * FROM notification n WHERE n.id = k.id OFFSET 0) n`;

/**
 * Conditions on the creation time and the id of a notification. It is in the time of the filter,
 * and comes after the cursor. The notification of a cursor may be gone: retention deletes it, and
 * keeps older ones that wait. A replica may not have it yet. A cursor of an earlier release has no
 * time. If its notification is gone, the next page is empty.
 */
function placeOn(
  { businessId, filter, page: { afterId, afterAt } }: AnyNotificationsAsked,
  { time, id }: { time: Prisma.Sql; id: Prisma.Sql },
): Prisma.Sql[] {
  const conditions = writtenIn(filter, time);
  if (afterId === null) return conditions;
  const at =
    afterAt === undefined
      ? Prisma.sql`(SELECT n.created_at FROM notification n WHERE n.id = ${afterId}::uuid AND ${isOf(businessId)})`
      : Prisma.sql`${afterAt}::timestamptz`;
  return [...conditions, Prisma.sql`(${time}, ${id}) < (${at}, ${afterId}::uuid)`];
}

/** The webhook that a filter names. `isAdditional` null: the business has no such webhook now. */
type NamedWebhook = { id: string; isAdditional: boolean | null };

async function readNamedWebhook(
  on: Statements,
  { businessId, filter: { webhookId } }: AnyNotificationsAsked,
): Promise<NamedWebhook | null> {
  if (webhookId === undefined || webhookId === "any") return null;
  const { id } = webhookId;
  const [row] = await on.$queryRaw<{ isAdditional: boolean }[]>`
    SELECT w.is_additional AS "isAdditional" FROM webhook w
    WHERE w.id = ${id}::uuid AND ${businessId === null ? Prisma.sql`true` : Prisma.sql`w.business_id = ${businessId}::uuid`}`;
  return { id, isAdditional: row?.isAdditional ?? null };
}

/**
 * Conditions: the notification `n` has a delivery to the webhook. The filter of the first webhook
 * may have left `n` out. Then it has none there, and no delivery is looked up.
 */
function atNamed(webhook: NamedWebhook | null): Prisma.Sql[] {
  if (webhook === null) return [];
  const isThere = isWrittenFor(webhook.id);
  return webhook.isAdditional === false ? [Prisma.sql`NOT n.is_filtered`, isThere] : [isThere];
}
