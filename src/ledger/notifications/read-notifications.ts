import type {
  AnyNotificationName,
  AnyNotificationsAsked,
  AskedWebhook,
  FullNotification,
  LastAttempt,
  ListedNotification,
  NotificationDetail,
  NotificationsAsked,
  OwnedListedNotification,
  OwnedNotification,
} from "../../domain/delivery/recorded-notification.ts";
import { requireFound } from "../../domain/not-found.ts";
import { type Page, toPage } from "../../domain/page.ts";
import { isAskedAbout, joinDeliveryState, webhookOf } from "../deliveries/delivery-state.ts";
import { Prisma } from "../generated/client.ts";
import { asSearch } from "../postgres/as-search.ts";
import type { Database } from "../postgres/database.ts";
import { lookByIndex } from "../postgres/look-by-index.ts";
import { type Statements, statementsOf } from "../postgres/statements.ts";
import { inSnapshot } from "../postgres/transaction.ts";
import { readNamedWallets } from "../transactions/named-wallets.ts";
import type { SortedAsset } from "../transactions/page-by-amount.ts";
import {
  type FeeRow,
  feeOf,
  moneyColumns,
  recorded,
} from "../transactions/read-recorded-transactions.ts";
import { requireAssets } from "../transactions/read-transactions.ts";
import { aboutWallets } from "./about-wallets.ts";
import { columns, isOf } from "./matching.ts";
import { inOrderOfAmount, type PlacedRow, pageByAmount, placeOf } from "./page-by-amount.ts";
import { pageSql } from "./page-by-time.ts";
import { readAttempts } from "./read-attempts.ts";

/**
 * A business's notifications, newest first by the time of their creation, or those of the largest
 * transactions first. Their ids cannot give the order of time: an id has the time at which money
 * moved.
 * @throws Fault `invalid_request`: see readPage
 */
export async function readNotifications(
  db: Database,
  asked: NotificationsAsked,
): Promise<Page<ListedNotification>> {
  return readPage(
    db,
    asked,
    (page, order) => Prisma.sql`
      SELECT n.*, ${lastColumns} FROM (${page}) n ${joinLastAttempt(asked.filter.webhookId)}
      ORDER BY ${order}`,
    toListed,
  );
}

/** The same page with the facts of each transaction, by one more look-up for each row. */
export async function readFullNotifications(
  db: Database,
  asked: NotificationsAsked,
): Promise<Page<FullNotification>> {
  return readPage(
    db,
    asked,
    // The page is read first, so that only its rows are looked up.
    (page, order) => Prisma.sql`
      SELECT n.*, ${lastColumns}, ${moneyColumns}, w.label
      FROM (${page}) n ${joinWallet} ${recorded.join}
        ${joinLastAttempt(asked.filter.webhookId)}
      ORDER BY ${order}`,
    toFull,
  );
}

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
  return readPage(
    db,
    asked,
    (page, order) => Prisma.sql`
      SELECT n.*, ${lastColumns}, w.label
      FROM (${page}) n ${joinWallet} ${joinLastAttempt(asked.filter.webhookId)}
      ORDER BY ${order}`,
    (row: OwnedNotification & LastFields & LabelField) => ({
      ...toListed(row),
      label: row.label,
    }),
  );
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
 * A page. A filter by a wallet's name is read as a search. So is one by webhook or status, since
 * few rows may match, and so is the order of amounts.
 * @throws Fault those of pageByAmount, and `invalid_request` for a search of too much or too long,
 *   or an unknown asset
 */
async function readPage<Row extends OwnedNotification, Shown>(
  db: Database,
  asked: AnyNotificationsAsked,
  shownOf: (page: Prisma.Sql, order: Prisma.Sql) => Prisma.Sql,
  toShown: (row: Row) => Shown,
): Promise<Page<Shown>> {
  const { businessId, filter } = asked;
  const { named, chainName, assetCode, webhookId, status, sort } = filter;
  const assets =
    assetCode === undefined ? null : await requireAssets(db, filter, { isAnyCase: true });
  const isByAmount = sort === "amount";
  const pageOf = isByAmount ? pageByAmount(asked, assets) : pageByTime(asked, assets);
  const order = isByAmount ? inOrderOfAmount : inOrderOfTime;
  const isBounded = webhookId !== undefined || status !== undefined || isByAmount;
  const read = async (on: Statements) => {
    const walletIds =
      named === undefined ? null : await readNamedWallets(on, { businessId, named, chainName });
    const page = await pageOf(on, walletIds);
    // Without statistics it would sort all that match, and read an index whole for each of them.
    if (isBounded) await lookByIndex(on);
    return on.$queryRaw<(Row & PlacedRow)[]>`${shownOf(page, order)}`;
  };
  const rows =
    named !== undefined
      ? await asSearch(db, read)
      : isBounded
        ? await asSearch(db, read, "too_long")
        : await read(statementsOf(db));
  const page = toPage(rows, asked.page.limit, placeOf);
  return { ...page, rows: page.rows.map(toShown) };
}

const inOrderOfTime = Prisma.sql`n."createdAt" DESC, n.id DESC`;

/** Makes the query of a page in the order of time. The result takes the wallets that are named. */
function pageByTime(asked: AnyNotificationsAsked, assets: readonly SortedAsset[] | null) {
  const { assetCode = "" } = asked.filter;
  const ofAsset = assets === null ? [] : [isOfAsset(assetCode, assets)];
  return async (on: Statements, walletIds: readonly string[] | null) => {
    const isAbout = walletIds === null ? [] : [await aboutWallets(on, walletIds)];
    return pageSql(on, asked, [...isAbout, ...ofAsset]);
  };
}

/**
 * Condition: the notification `n` is about one of these assets, which have the same code. A
 * notification about no transaction names its asset in its body.
 */
const isOfAsset = (code: string, assets: readonly { id: number }[]): Prisma.Sql => Prisma.sql`(
  EXISTS (SELECT FROM transaction t WHERE t.id = n.transaction_id AND t.asset_id = ANY(${assets.map(({ id }) => id)}::int[]))
  OR n.transaction_id IS NULL AND upper(n.body::jsonb #>> '{data,asset}') = upper(${code}))`;

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
