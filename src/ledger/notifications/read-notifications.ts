import { undeliveredStatuses } from "../../domain/delivery/delivery.ts";
import type {
  AnyNotificationName,
  AnyNotificationsAsked,
  AskedWebhook,
  FullNotification,
  LastAttempt,
  ListedNotification,
  NotificationDetail,
  NotificationFilter,
  NotificationsAsked,
  OwnedListedNotification,
  OwnedNotification,
} from "../../domain/delivery/recorded-notification.ts";
import { requireFound } from "../../domain/not-found.ts";
import { type Page, toPage } from "../../domain/page.ts";
import { isAskedAbout, joinDeliveryState, webhookOf } from "../deliveries/delivery-state.ts";
import { isUndelivered } from "../deliveries/undelivered.ts";
import { Prisma } from "../generated/client.ts";
import { asSearch } from "../postgres/as-search.ts";
import type { Database } from "../postgres/database.ts";
import { type Statements, statementsOf } from "../postgres/statements.ts";
import { inSnapshot } from "../postgres/transaction.ts";
import { words } from "../postgres/words.ts";
import { readNamedWallets } from "../transactions/named-wallets.ts";
import {
  type FeeRow,
  feeOf,
  moneyColumns,
  recorded,
} from "../transactions/read-recorded-transactions.ts";
import { requireAssets } from "../transactions/read-transactions.ts";
import { aboutWallets } from "./about-wallets.ts";
import { readAttempts } from "./read-attempts.ts";

const selectAt = (webhook: AskedWebhook | null) => Prisma.sql`
  SELECT n.id, n.business_id AS "businessId", n.event, n.transaction_id AS "transactionId", n.wallet_id AS "walletId", n.body, n.created_at AS "createdAt",
    s.status, s.attempts, s.delivered_at AS "deliveredAt", s.webhook_id AS "webhookId"
  FROM notification n ${joinDeliveryState(webhook)}`;

/**
 * A business's notifications, newest first by the time of their creation. Their ids cannot give
 * that order: an id has the time at which money moved.
 */
export async function readNotifications(
  db: Database,
  asked: NotificationsAsked,
): Promise<Page<ListedNotification>> {
  const rows = await readPage<OwnedNotification & LastFields>(
    db,
    asked,
    (page) => Prisma.sql`
      SELECT n.*, ${lastColumns} FROM (${page}) n ${joinLastAttempt(asked.filter.webhookId)}
      ORDER BY n."createdAt" DESC, n.id DESC`,
  );
  return toPage(rows.map(toListed), asked.page.limit, timeOf);
}

/** The same page with the facts of each transaction, by one more look-up for each row. */
export async function readFullNotifications(
  db: Database,
  asked: NotificationsAsked,
): Promise<Page<FullNotification>> {
  const rows = await readPage<OwnedNotification & LastFields & FullFields>(
    db,
    asked,
    // The page is read first, so that only its rows are looked up.
    (page) => Prisma.sql`
      SELECT n.*, ${lastColumns}, ${moneyColumns}, w.label
      FROM (${page}) n ${joinWallet} ${recorded.join}
        ${joinLastAttempt(asked.filter.webhookId)}
      ORDER BY n."createdAt" DESC, n.id DESC`,
  );
  return toPage(rows.map(toFull), asked.page.limit, timeOf);
}

const timeOf = ({ createdAt }: ListedNotification) => ({ afterAt: createdAt });

type LabelField = { label: string | null };

type FullFields = FeeRow & LabelField & { usdValue: string | null };

function toFull(row: OwnedNotification & LastFields & FullFields): FullNotification {
  return { ...toListed(row), usdValue: row.usdValue, label: row.label, fee: feeOf(row) };
}

/** The same for the operator: of all businesses, or of one, with the label of each wallet. */
export async function listNotifications(
  db: Database,
  asked: AnyNotificationsAsked,
): Promise<Page<OwnedListedNotification>> {
  const rows = await readPage<OwnedNotification & LastFields & LabelField>(
    db,
    asked,
    (page) => Prisma.sql`
      SELECT n.*, ${lastColumns}, w.label
      FROM (${page}) n ${joinWallet} ${joinLastAttempt(asked.filter.webhookId)}
      ORDER BY n."createdAt" DESC, n.id DESC`,
  );
  const owned = rows.map((row) => ({ ...toListed(row), label: row.label }));
  return toPage(owned, asked.page.limit, timeOf);
}

/** Joins to a notification `n` its transaction as `t` and its wallet as `w`. */
const joinWallet = Prisma.sql`LEFT JOIN transaction t ON t.id = n."transactionId"
  LEFT JOIN wallet w ON w.id = coalesce(t.wallet_id, n."walletId")`;

/** The last attempt of a notification at a webhook. `lastAt` null: there was none. */
type LastFields = Pick<ListedNotification, "webhookId"> & {
  lastUrl: string | null;
  lastAt: Date | null;
  lastStatus: number | null;
  lastError: LastAttempt["errorKind"];
  lastResponse: string | null;
  lastWithheld: boolean | null;
};

const lastColumns = Prisma.sql`l.url AS "lastUrl", l.started_at AS "lastAt", l.status_code AS "lastStatus",
  l.error_kind AS "lastError", l.response AS "lastResponse", l.withheld AS "lastWithheld"`;

/** Joins to a notification `n` its last attempt as `l`, at the webhook that its state is of. */
const joinLastAttempt = (asked: AskedWebhook | undefined): Prisma.Sql => Prisma.sql`
  LEFT JOIN LATERAL (
    SELECT coalesce(v.url, w.url) AS url, a.started_at, a.status_code, a.error_kind, left(a.response, 200) AS response,
      a.status_code IS NOT NULL AND a.response IS NULL AS withheld
    FROM delivery d JOIN attempt a ON a.delivery_id = d.id
      LEFT JOIN webhook w ON w.id = a.webhook_id
      LEFT JOIN webhook_version v ON v.webhook_id = a.webhook_id AND v.version = a.webhook_version
    WHERE d.notification_id = n.id AND ${asked === "any" ? isAtWorst : isAskedAbout(asked?.id ?? null)} ORDER BY a.id DESC LIMIT 1
  ) l ON true`;

/** Condition: the delivery `d` went to the webhook where the notification `n` stands worst. */
const isAtWorst = Prisma.sql`${webhookOf} IS NOT DISTINCT FROM n."webhookId"`;

function toListed(
  row: OwnedNotification & LastFields,
): ListedNotification & { businessId: string } {
  const { webhookId, lastAt, lastWithheld } = row;
  return {
    id: row.id,
    businessId: row.businessId,
    event: row.event,
    transactionId: row.transactionId,
    body: row.body,
    createdAt: row.createdAt,
    status: row.status,
    attempts: row.attempts,
    deliveredAt: row.deliveredAt,
    webhookId,
    lastAttempt:
      lastAt === null
        ? null
        : {
            url: row.lastUrl,
            startedAt: lastAt,
            statusCode: row.lastStatus,
            errorKind: row.lastError,
            response: row.lastResponse,
            isWithheld: lastWithheld === true,
          },
  };
}

/**
 * The rows of a page. A filter by a wallet's name is read as a search. So is the webhook where each
 * stands worst, since few rows may match.
 * @throws Fault `invalid_request` if a search matches too much or takes too long, or the ledger
 *   knows no such asset
 */
async function readPage<Row>(
  db: Database,
  asked: AnyNotificationsAsked,
  shownOf: (page: Prisma.Sql) => Prisma.Sql,
): Promise<Row[]> {
  const { businessId, filter } = asked;
  const { named, chainName, assetCode, webhookId } = filter;
  const ofAsset =
    assetCode === undefined
      ? []
      : [isOfAsset(assetCode, await requireAssets(db, filter, { isAnyCase: true }))];
  const read = async (on: Statements) => {
    const isOfStatus = await statusConditions(on, asked);
    if (named === undefined)
      return on.$queryRaw<Row[]>`${shownOf(pageSql(asked, [...isOfStatus, ...ofAsset]))}`;
    const walletIds = await readNamedWallets(on, { businessId, named, chainName });
    const isAbout = await aboutWallets(on, walletIds);
    return on.$queryRaw<Row[]>`${shownOf(pageSql(asked, [isAbout, ...isOfStatus, ...ofAsset]))}`;
  };
  if (named !== undefined) return asSearch(db, read);
  return webhookId === "any" ? asSearch(db, read, "too_long") : read(statementsOf(db));
}

/**
 * Condition: the notification `n` is about one of these assets, which have the same code. A
 * notification about no transaction names its asset in its body.
 */
const isOfAsset = (code: string, assets: readonly { id: number }[]): Prisma.Sql => Prisma.sql`(
  EXISTS (SELECT FROM transaction t WHERE t.id = n.transaction_id AND t.asset_id = ANY(${assets.map(({ id }) => id)}::int[]))
  OR n.transaction_id IS NULL AND upper(n.body::jsonb #>> '{data,asset}') = upper(${code}))`;

/**
 * Condition: the notification `n` is of a chain. One without a place in a stream is of its
 * transaction's chain, or of the one that its body names.
 */
const isOfChain = (name: string): Prisma.Sql => Prisma.sql`coalesce(n.chain_name,
  (SELECT t.chain_name FROM transaction t WHERE t.id = n.transaction_id), n.body::jsonb #>> '{data,blockchain}') = ${name}`;

/** Condition: the notification `n` is of the business; null: of any. */
const isOf = (businessId: string | null): Prisma.Sql =>
  businessId === null ? Prisma.sql`true` : Prisma.sql`n.business_id = ${businessId}::uuid`;

/** Selects one row more than the page. `further`: conditions besides those of the filter. */
function pageSql(
  { businessId, filter, page }: AnyNotificationsAsked,
  further: readonly Prisma.Sql[],
): Prisma.Sql {
  const isOurs = isOf(businessId);
  const where = [isOurs, ...conditionsOf(filter), ...further];
  if (page.afterId !== null) where.push(isAfter(page.afterId, page.afterAt, isOurs));
  return Prisma.sql`${selectAt(filter.webhookId ?? null)}
    WHERE ${Prisma.join(where, " AND ")} ORDER BY n.created_at DESC, n.id DESC LIMIT ${page.limit + 1}`;
}

/**
 * Condition: the notification `n` comes after the one of a cursor. That one may be gone: retention
 * deletes it, and keeps older ones that wait. A replica may not have it yet. A cursor of an earlier
 * release has no time. If its notification is gone, the next page is empty.
 */
function isAfter(id: string, at: Date | undefined, isOurs: Prisma.Sql): Prisma.Sql {
  const time =
    at === undefined
      ? Prisma.sql`(SELECT n.created_at FROM notification n WHERE n.id = ${id}::uuid AND ${isOurs})`
      : Prisma.sql`${at}::timestamptz`;
  return Prisma.sql`(n.created_at, n.id) < (${time}, ${id}::uuid)`;
}

function conditionsOf(filter: NotificationFilter): Prisma.Sql[] {
  const { event, transactionId, webhookId, chainName, from, to } = filter;
  const conditions: Prisma.Sql[] = [];
  if (event !== undefined) conditions.push(Prisma.sql`n.event = ${event}`);
  if (transactionId !== undefined)
    conditions.push(Prisma.sql`n.transaction_id = ${transactionId}::uuid`);
  if (webhookId !== undefined && webhookId !== "any") {
    conditions.push(Prisma.sql`EXISTS (
      SELECT 1 FROM delivery d WHERE d.notification_id = n.id AND d.webhook_id = ${webhookId.id}::uuid
    )`);
  }
  if (chainName !== undefined) conditions.push(isOfChain(chainName));
  if (from !== undefined) conditions.push(Prisma.sql`n.created_at >= ${from}`);
  if (to !== undefined) conditions.push(Prisma.sql`n.created_at < ${to}`);
  return conditions;
}

/** Conditions: the notification `n` with its state `s` has the status of the filter. */
async function statusConditions(
  on: Statements,
  { businessId, filter: { status, webhookId } }: AnyNotificationsAsked,
): Promise<Prisma.Sql[]> {
  if (status === undefined) return [];
  const statuses = status === "undelivered" ? undeliveredStatuses : [status];
  const isIt = Prisma.sql`s.status IN (${words(statuses)})`;
  if (status === "delivered") return [isIt];
  if (status === "filtered") return [isIt, Prisma.sql`n.is_filtered`];
  const asked = webhookId === "any" ? Prisma.sql`true` : isAskedAbout(webhookId?.id ?? null);
  return [isIt, await isUndelivered(on, { businessId, asked }, status)];
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
