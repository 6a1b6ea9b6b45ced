import {
  type RecoveryAsked,
  type RecoveryPreview,
  recoveredByDefault,
} from "../../domain/delivery/delivery.ts";
import { matchesWritten, type WrittenNotice } from "../../domain/delivery/matches-written.ts";
import { testState } from "../../domain/delivery/notification.ts";
import { lookedAtOnce } from "../../domain/delivery/recovery.ts";
import { notFound } from "../../domain/not-found.ts";
import type { WebhookName } from "../../domain/webhook/registration.ts";
import { Prisma } from "../generated/client.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import type { Database } from "../postgres/database.ts";
import { lookByIndex } from "../postgres/look-by-index.ts";
import { modelsOf } from "../postgres/models.ts";
import { reaching } from "../postgres/reaching.ts";
import type { Statements } from "../postgres/statements.ts";
import { inSnapshot } from "../postgres/transaction.ts";
import { isAskedAbout } from "./delivery-state.ts";

/** The webhook that a recovery is for. */
export type Receiver = { id: string; businessId: string };

/** Asks which notifications a recovery would queue again, of those created `within` a time. */
export type Recoverable = {
  receiver: Receiver;
  include: NonNullable<RecoveryAsked["include"]>;
  filter: RecoveryAsked["filter"] | null;
  /** A condition on the creation time of a notification `n`. */
  within: Prisma.Sql;
};

/**
 * Counts what a recovery would queue again now, among the oldest `lookedAtOnce` notifications of
 * the time. Changes nothing. Also works for an inactive webhook.
 * @throws Fault `webhook_not_found`
 */
export async function previewRecovery(
  db: Database,
  { businessId, webhookId }: WebhookName,
  asked: RecoveryAsked,
): Promise<RecoveryPreview> {
  const receiver = await reaching(() =>
    modelsOf(db).webhook.findFirst({
      where: { id: webhookId, deletedAt: null, ...(businessId === null ? {} : { businessId }) },
      select: { id: true, businessId: true },
    }),
  );
  if (receiver === null) throw notFound("webhook_not_found");
  const { include = recoveredByDefault, filter } = asked;
  const all = { receiver, within: writtenIn(asked) };
  return inSnapshot(db, async (tx) => {
    await lookByIndex(tx);
    const newest = await readNewest(tx, all);
    const end = await readLookedEnd(tx, all);
    if (newest === null || end === null) return { count: 0, hasMore: false, first: [] };
    const within = Prisma.sql`${all.within} AND n.created_at <= ${end}`;
    const of = { receiver, include, filter, within };
    const wanted = await readWanted(tx, of);
    const rows = await tx.$queryRaw<(RecoveryPreview["first"][number] & { count: number })[]>`
      SELECT notification_id AS id, event, status, created_at AS "createdAt", count(*) OVER ()::int AS count
      FROM (${recoverable(of, wanted)}) found ORDER BY created_at, notification_id LIMIT 10`;
    const first = rows.map(({ count: _, ...shown }) => shown);
    return { count: rows[0]?.count ?? 0, hasMore: end < newest, first };
  });
}

/**
 * Runs a query whose rows come in the order of an index, so that it stops once it has enough. If
 * the planner expected few rows, it would read and sort all of them.
 */
async function inIndexOrder<Rows>(tx: Statements, query: () => Promise<Rows>): Promise<Rows> {
  await tx.$queryRaw`SELECT set_config('enable_sort', 'off', true)`;
  const rows = await query();
  await tx.$queryRaw`SELECT set_config('enable_sort', 'on', true)`;
  return rows;
}

/** The creation time of the newest notification `within` the time; null: there is none. */
export async function readNewest(
  tx: Statements,
  { receiver, within }: Pick<Recoverable, "receiver" | "within">,
): Promise<Date | null> {
  const [row] = await inIndexOrder(
    tx,
    () => tx.$queryRaw<{ at: Date }[]>`
      SELECT n.created_at AS at FROM notification n
      WHERE n.business_id = ${receiver.businessId}::uuid AND ${within} ORDER BY n.created_at DESC LIMIT 1`,
  );
  return row?.at ?? null;
}

/**
 * The creation time of the last of the oldest `lookedAtOnce` notifications `within` the time; null:
 * there is none. Notifications of the same time stay in one batch: the order of a wallet depends on
 * that.
 */
export async function readLookedEnd(
  tx: Statements,
  { receiver, within }: Pick<Recoverable, "receiver" | "within">,
): Promise<Date | null> {
  const [row] = await inIndexOrder(
    tx,
    () => tx.$queryRaw<{ at: Date | null }[]>`
      SELECT max(created_at) AS at FROM (
        SELECT n.created_at FROM notification n WHERE n.business_id = ${receiver.businessId}::uuid AND ${within}
        ORDER BY n.created_at LIMIT ${lookedAtOnce}) n`,
  );
  return row?.at ?? null;
}

/** The condition that a notification `n` was created in the time that is asked about. */
export const writtenIn = ({ since, until }: Pick<RecoveryAsked, "since" | "until">): Prisma.Sql =>
  until === null
    ? Prisma.sql`n.created_at >= ${since}`
    : Prisma.sql`n.created_at >= ${since} AND n.created_at < ${until}`;

/** The most bodies that the filter judges in one step. */
const judgedAtOnce = 1_000;

/**
 * The ids of a recovery's deliveries whose notifications pass its filter. Null: there is no filter.
 */
export async function readWanted(tx: Statements, of: Recoverable): Promise<string[] | null> {
  const filter = of.filter ?? null;
  if (filter === null) return null;
  const found = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM (${recoverable(of, null)}) found`;
  const usdValue =
    filter.minUsd === undefined
      ? Prisma.sql`NULL::text`
      : Prisma.sql`(SELECT t.usd_value::text FROM transaction t WHERE t.id = n.transaction_id)`;
  const wanted: string[] = [];
  for (let start = 0; start < found.length; start += judgedAtOnce) {
    const ids = found.slice(start, start + judgedAtOnce).map(({ id }) => id);
    // Subqueries, not joins: with old statistics a join read all deliveries once for each row.
    const rows = await tx.$queryRaw<(WrittenNotice & { id: string })[]>`
      SELECT r.id, n.event, n.body, ${usdValue} AS "usdValue"
      FROM unnest(${arrayLiteral(ids)}::uuid[]) r(id)
        CROSS JOIN LATERAL (SELECT notification_id FROM delivery WHERE id = r.id LIMIT 1) d
        CROSS JOIN LATERAL (SELECT * FROM notification WHERE id = d.notification_id LIMIT 1) n`;
    for (const row of rows) if (matchesWritten(filter, row)) wanted.push(row.id);
  }
  return wanted;
}

/**
 * Selects the latest delivery of each notification that a recovery finds, with its status. It also
 * selects the event and creation time of the notification. `wanted` limits it to these deliveries;
 * null: all. It looks deliveries up for each notification, since a join may read those of all.
 */
export function recoverable(
  { receiver: { id, businessId }, include, within }: Omit<Recoverable, "filter">,
  wanted: readonly string[] | null,
): Prisma.Sql {
  const isWanted =
    wanted === null ? Prisma.sql`true` : Prisma.sql`l.id = ANY(${arrayLiteral(wanted)}::uuid[])`;
  return Prisma.sql`
    SELECT l.id, n.id AS notification_id, n.event, n.created_at, l.status
    FROM notification n CROSS JOIN LATERAL (
      SELECT d.id, d.claim_token, d.due_at, bool_or(d.status = 'delivered') OVER () AS is_delivered,
        CASE WHEN d.status = 'waiting' AND d.webhook_id IS DISTINCT FROM ${id}::uuid THEN 'held' ELSE d.status END AS status
      FROM delivery d WHERE d.notification_id = n.id AND ${isAskedAbout(id)}
      ORDER BY d.wallet_id IS NULL, d.seq DESC, d.id DESC LIMIT 1
    ) l
    WHERE n.business_id = ${businessId}::uuid AND n.state <> ${testState} AND ${within}
      AND l.status = ANY(${[...include]}::text[]) AND NOT l.is_delivered AND ${isWanted}
      AND (l.status <> 'waiting' OR l.claim_token IS NULL AND l.due_at > now())`;
}
