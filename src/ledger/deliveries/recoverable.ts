import {
  type RecoveryAsked,
  type RecoveryPreview,
  recoveredByDefault,
} from "../../domain/delivery/delivery.ts";
import { matchesWritten, type WrittenNotice } from "../../domain/delivery/matches-written.ts";
import { testState } from "../../domain/delivery/notification.ts";
import { notFound } from "../../domain/not-found.ts";
import type { WebhookName } from "../../domain/webhook/registration.ts";
import { Prisma } from "../generated/client.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import type { Database } from "../postgres/database.ts";
import { modelsOf } from "../postgres/models.ts";
import { reaching } from "../postgres/reaching.ts";
import type { Statements } from "../postgres/statements.ts";
import { inSnapshot } from "../postgres/transaction.ts";
import { isAskedAbout } from "./delivery-state.ts";

/** The webhook that a recovery is for. */
export type Receiver = { id: string; businessId: string };

/** The question of a recovery, about notifications whose times are `within`. */
export type Recoverable = {
  receiver: Receiver;
  include: NonNullable<RecoveryAsked["include"]>;
  filter: RecoveryAsked["filter"] | null;
  /** A condition on the time of writing of a notification `n`. */
  within: Prisma.Sql;
};

/**
 * Says what a recovery would queue again at this moment. Changes nothing, and asks also about a
 * webhook that is inactive.
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
  const of = { receiver, include, filter, within: writtenIn(asked) };
  return inSnapshot(db, async (tx) => {
    const wanted = await readWanted(tx, of);
    const rows = await tx.$queryRaw<(RecoveryPreview["first"][number] & { count: number })[]>`
      WITH ${recoverable(of, wanted)}
      SELECT n.id, n.event, f.status, n.created_at AS "createdAt", count(*) OVER ()::int AS count
      FROM found f JOIN notification n ON n.id = f.notification_id ORDER BY n.created_at, n.id LIMIT 10`;
    return { count: rows[0]?.count ?? 0, first: rows.map(({ count: _, ...shown }) => shown) };
  });
}

/** The condition that a notification `n` was written in the time that is asked about. */
export const writtenIn = ({ since, until }: Pick<RecoveryAsked, "since" | "until">): Prisma.Sql =>
  until === null
    ? Prisma.sql`n.created_at >= ${since}`
    : Prisma.sql`n.created_at >= ${since} AND n.created_at < ${until}`;

/** The most bodies that are judged at a time. */
const judgedAtOnce = 1_000;

/** The deliveries of a recovery whose notifications its filter names. Null: there is no filter. */
export async function readWanted(tx: Statements, of: Recoverable): Promise<string[] | null> {
  const filter = of.filter ?? null;
  if (filter === null) return null;
  const found = await tx.$queryRaw<{ id: string }[]>`
    WITH ${recoverable(of, null)} SELECT id FROM found`;
  const usdValue =
    filter.minUsd === undefined
      ? Prisma.sql`NULL::text`
      : Prisma.sql`(SELECT t.usd_value::text FROM transaction t WHERE t.id = n.transaction_id)`;
  const wanted: string[] = [];
  for (let start = 0; start < found.length; start += judgedAtOnce) {
    const ids = found.slice(start, start + judgedAtOnce).map(({ id }) => id);
    const rows = await tx.$queryRaw<(WrittenNotice & { id: string })[]>`
      SELECT d.id, n.event, n.body, ${usdValue} AS "usdValue"
      FROM delivery d JOIN notification n ON n.id = d.notification_id
      WHERE d.id = ANY(${arrayLiteral(ids)}::uuid[])`;
    for (const row of rows) if (matchesWritten(filter, row)) wanted.push(row.id);
  }
  return wanted;
}

/**
 * A recovery finds these, as `found`: the latest delivery of each notification, its status, and
 * when the notification was written. `wanted`: of these deliveries alone; null: of all. They are
 * found once, and not once for each row that they are joined with.
 */
export function recoverable(
  { receiver: { id, businessId }, include, within }: Omit<Recoverable, "filter">,
  wanted: readonly string[] | null,
): Prisma.Sql {
  const isWanted =
    wanted === null ? Prisma.sql`true` : Prisma.sql`l.id = ANY(${arrayLiteral(wanted)}::uuid[])`;
  return Prisma.sql`latest AS (
      SELECT DISTINCT ON (d.notification_id) d.id, d.notification_id, n.created_at, d.claim_token, d.due_at,
        CASE WHEN d.status = 'waiting' AND d.webhook_id IS DISTINCT FROM ${id}::uuid THEN 'held' ELSE d.status END AS status
      FROM notification n JOIN delivery d ON d.notification_id = n.id
      WHERE n.business_id = ${businessId}::uuid AND n.state <> ${testState} AND ${isAskedAbout(id)} AND ${within}
      ORDER BY d.notification_id, d.wallet_id IS NULL, d.seq DESC, d.id DESC
    ), found AS MATERIALIZED (
      SELECT l.id, l.notification_id, l.created_at, l.status FROM latest l
      WHERE l.status = ANY(${[...include]}::text[]) AND ${isWanted}
        AND (l.status <> 'waiting' OR l.claim_token IS NULL AND l.due_at > now())
        AND NOT EXISTS (SELECT 1 FROM delivery d
          WHERE d.notification_id = l.notification_id AND d.status = 'delivered' AND ${isAskedAbout(id)})
    )`;
}
