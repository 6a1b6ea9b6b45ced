import { type AskedStatus, undeliveredStatuses } from "../../domain/delivery/delivery.ts";
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
import { type Candidates, findUndelivered, hasDelivery } from "../deliveries/undelivered.ts";
import { Prisma } from "../generated/client.ts";
import { asSearch } from "../postgres/as-search.ts";
import type { Database } from "../postgres/database.ts";
import { lookByIndex } from "../postgres/look-by-index.ts";
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

const columns = Prisma.sql`n.id, n.business_id AS "businessId", n.event, n.transaction_id AS "transactionId",
  n.wallet_id AS "walletId", n.body, n.created_at AS "createdAt", s.status, s.delivered_at AS "deliveredAt"`;

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

const lastColumns = Prisma.sql`coalesce(l.attempts, 0) AS attempts, l.url AS "lastUrl", l.started_at AS "lastAt", l.status_code AS "lastStatus",
  l.error_kind AS "lastError", l.response AS "lastResponse", l.withheld AS "lastWithheld"`;

/**
 * Joins to a notification `n` its last attempt as `l`, at the webhook that its state is of. `l`
 * also has the number of attempts there.
 */
const joinLastAttempt = (asked: AskedWebhook | undefined): Prisma.Sql => Prisma.sql`
  LEFT JOIN LATERAL (
    SELECT coalesce(v.url, w.url) AS url, a.started_at, a.status_code, a.error_kind, left(a.response, 200) AS response,
      a.status_code IS NOT NULL AND a.response IS NULL AS withheld, (count(*) OVER ())::int AS attempts
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
 * The rows of a page. A filter by a wallet's name is read as a search. So is one by webhook or
 * status, since few rows may match.
 * @throws Fault `invalid_request` if a search matches too much or takes too long, or the ledger
 *   knows no such asset
 */
async function readPage<Row>(
  db: Database,
  asked: AnyNotificationsAsked,
  shownOf: (page: Prisma.Sql) => Prisma.Sql,
): Promise<Row[]> {
  const { businessId, filter } = asked;
  const { named, chainName, assetCode, webhookId, status } = filter;
  const ofAsset =
    assetCode === undefined
      ? []
      : [isOfAsset(assetCode, await requireAssets(db, filter, { isAnyCase: true }))];
  const isBounded = webhookId !== undefined || status !== undefined;
  const read = async (on: Statements) => {
    const isAbout =
      named === undefined
        ? []
        : [await aboutWallets(on, await readNamedWallets(on, { businessId, named, chainName }))];
    const page = await pageSql(on, asked, [...isAbout, ...ofAsset]);
    // Without statistics it would sort all that match, and read an index whole for each of them.
    if (isBounded) await lookByIndex(on);
    return on.$queryRaw<Row[]>`${shownOf(page)}`;
  };
  if (named !== undefined) return asSearch(db, read);
  return isBounded ? asSearch(db, read, "too_long") : read(statementsOf(db));
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

/**
 * Selects one row more than the page. `further`: conditions besides those of the filter. States are
 * looked up after all else has matched. That goes row by row in the order of the list, until the
 * page is full.
 */
export async function pageSql(
  on: Statements,
  asked: AnyNotificationsAsked,
  further: readonly Prisma.Sql[],
): Promise<Prisma.Sql> {
  const { businessId, filter, page } = asked;
  const { candidates, isOfStatus } = await withStatus(on, asked);
  const isOurs = isOf(businessId);
  const where = [isOurs, ...conditionsOf(filter), ...further];
  if (page.afterId !== null) where.push(isAfter(page.afterId, page.afterAt, isOurs));
  if (candidates?.kind === "many") where.push(candidates.condition);
  const matches = Prisma.join(where, " AND ");
  const ordered =
    candidates?.kind === "few" ? collected(candidates.ids, matches) : inOrder(matches);
  return Prisma.sql`
    SELECT ${columns}, s.webhook_id AS "webhookId" FROM (${ordered}) n ${joinDeliveryState(filter.webhookId ?? null)}
    WHERE ${isOfStatus} ORDER BY n.created_at DESC, n.id DESC LIMIT ${page.limit + 1}`;
}

/** Selects the notifications that match, in the order of the list. */
const inOrder = (matches: Prisma.Sql): Prisma.Sql => Prisma.sql`
  SELECT * FROM notification n WHERE ${matches} ORDER BY n.created_at DESC, n.id DESC OFFSET 0`;

/** The same of those that are known by id. Their order comes first, so that few bodies are read. */
const collected = (ids: readonly string[], matches: Prisma.Sql): Prisma.Sql => Prisma.sql`
  SELECT k.id, k.created_at, n.business_id, n.event, n.transaction_id, n.wallet_id, n.body
  FROM (
    SELECT n.id, n.created_at FROM unnest(${[...ids]}::uuid[]) c(id)
      CROSS JOIN LATERAL (SELECT * FROM notification n WHERE n.id = c.id OFFSET 0) n
    WHERE ${matches} ORDER BY n.created_at DESC, n.id DESC OFFSET 0
  ) k CROSS JOIN LATERAL (SELECT * FROM notification n WHERE n.id = k.id OFFSET 0) n`;

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
      SELECT FROM delivery d WHERE d.notification_id = n.id AND d.webhook_id = ${webhookId.id}::uuid OFFSET 0)`);
  }
  if (chainName !== undefined) conditions.push(isOfChain(chainName));
  if (from !== undefined) conditions.push(Prisma.sql`n.created_at >= ${from}`);
  if (to !== undefined) conditions.push(Prisma.sql`n.created_at < ${to}`);
  return conditions;
}

/** The notifications that may have the status of a filter, and the condition on their state `s`. */
type StatusFilter = { candidates: Candidates | null; isOfStatus: Prisma.Sql };

async function withStatus(
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
  if (status === "delivered") return { kind: "many", condition: hasDelivery(of, status) };
  if (status !== "filtered") return findUndelivered(on, of, status);
  // A webhook that is named has a delivery of each of its notifications.
  const isNamed = of.at !== null && of.at.id !== null;
  return isNamed
    ? { kind: "few", ids: [] }
    : { kind: "many", condition: Prisma.sql`n.is_filtered` };
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
      SELECT ${columns}, s.attempts FROM notification n ${joinDeliveryState()}
      WHERE n.id = ${notificationId}::uuid AND ${isOf(businessId)}`;
    const row = requireFound(rows[0], "notification_not_found");
    const attemptLog = await readAttempts(tx, notificationId);
    return { ...row, attemptLog };
  });
}
