import type { DeliveryRecovery, RecoveryName } from "../../domain/delivery/recovery.ts";
import { requireFound } from "../../domain/not-found.ts";
import { type Page, type PageRequest, toPage } from "../../domain/page.ts";
import type { WebhookName } from "../../domain/webhook/registration.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { type Statements, statementsOf } from "../postgres/statements.ts";
import { readFilter } from "../webhooks/filters.ts";

type Row = Omit<DeliveryRecovery, "filter"> & { filter: string | null };

/**
 * The columns of recoveries `r` with their webhooks `w`. The state is derived from the stored
 * columns.
 */
const columns = Prisma.sql`
  r.id, r.webhook_id AS "webhookId", r.since, r.until, r.include, r.filter,
  CASE WHEN r.position >= r.since THEN r.position END AS position, r.through, r.queued, r.started_at AS "startedAt",
  coalesce(r.ended_at, w.deleted_at) AS "endedAt",
  CASE WHEN r.ended_at IS NOT NULL THEN 'done' WHEN w.deleted_at IS NOT NULL THEN 'failed' ELSE 'running' END AS state`;

/**
 * The recoveries of a webhook, newest first, also of a deleted webhook.
 * @throws Fault `webhook_not_found`
 */
export async function readRecoveries(
  db: Database,
  name: WebhookName,
  { limit, afterId }: PageRequest,
): Promise<Page<DeliveryRecovery>> {
  const statements = statementsOf(db);
  const [webhook] = await statements.$queryRaw<
    unknown[]
  >`SELECT 1 FROM webhook w WHERE ${isIts(name)}`;
  requireFound(webhook, "webhook_not_found");
  const after = afterId === null ? Prisma.empty : Prisma.sql`AND r.id < ${afterId}::uuid`;
  const rows = await statements.$queryRaw<Row[]>`
    SELECT ${columns} FROM recovery r JOIN webhook w ON w.id = r.webhook_id
    WHERE ${isIts(name)} ${after} ORDER BY r.id DESC LIMIT ${limit + 1}`;
  return toPage(rows.map(toRecovery), limit);
}

/** Reads one recovery. @throws Fault `recovery_not_found` */
export function readDeliveryRecovery(db: Database, name: RecoveryName): Promise<DeliveryRecovery> {
  return requireRecovery(statementsOf(db), name);
}

/** See readDeliveryRecovery. */
export async function requireRecovery(
  on: Pick<Statements, "$queryRaw">,
  name: RecoveryName,
): Promise<DeliveryRecovery> {
  const [row] = await on.$queryRaw<Row[]>`
    SELECT ${columns} FROM recovery r JOIN webhook w ON w.id = r.webhook_id
    WHERE r.id = ${name.recoveryId}::uuid AND ${isIts(name)}`;
  return toRecovery(requireFound(row, "recovery_not_found"));
}

function isIts({ businessId, webhookId }: WebhookName): Prisma.Sql {
  const isOwn =
    businessId === null ? Prisma.sql`true` : Prisma.sql`w.business_id = ${businessId}::uuid`;
  return Prisma.sql`w.id = ${webhookId}::uuid AND ${isOwn}`;
}

function toRecovery({ filter, ...row }: Row): DeliveryRecovery {
  return { ...row, filter: readFilter(filter) };
}
