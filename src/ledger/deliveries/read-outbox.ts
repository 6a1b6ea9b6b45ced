import type { BusinessOutbox, OutboxReport, ReceiverRecord } from "../../domain/business/outbox.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { readRows } from "../postgres/statements.ts";
import { waitingDeliveries } from "../postgres/waiting-deliveries.ts";

/** Of each list, at most. */
const maxRows = 100;

/** Attempts that are looked at, at most: the newest. */
const maxAttempts = 20_000;

/**
 * Reads the waiting deliveries by business, the oldest first. Also reads the answers of receivers
 * in the last day, the slowest first. Each part is as it is when it is read.
 */
export async function readOutboxReport(db: Database): Promise<OutboxReport> {
  return { businesses: await readBusinesses(db), receivers: await readReceivers(db) };
}

function readBusinesses(db: Database): Promise<BusinessOutbox[]> {
  return readRows(
    db,
    Prisma.sql`
    SELECT b.id AS "businessId", b.name, x.waiting, x.held, x."oldestWaitingAt"
    FROM (
      SELECT d.business_id, (count(*) FILTER (WHERE a.is_active))::int AS waiting,
        (count(*) FILTER (WHERE NOT a.is_active))::int AS held,
        min(d.created_at) FILTER (WHERE a.is_active) AS "oldestWaitingAt", min(d.created_at) AS oldest
      FROM ${waitingDeliveries} d
      LEFT JOIN webhook w ON w.id = d.webhook_id
      CROSS JOIN LATERAL (SELECT COALESCE(w.is_active AND w.deleted_at IS NULL, false) AS is_active) a
      GROUP BY d.business_id
    ) x JOIN business b ON b.id = x.business_id
    ORDER BY x.oldest, b.id LIMIT ${maxRows}`,
  );
}

function readReceivers(db: Database): Promise<ReceiverRecord[]> {
  return readRows(
    db,
    Prisma.sql`
    SELECT w.business_id AS "businessId", w.id AS "webhookId", w.url, x.attempts, x.failed, x."p50Ms", x."p95Ms"
    FROM (
      SELECT a.webhook_id, count(*)::int AS attempts,
        (count(*) FILTER (WHERE a.status_code IS NULL OR a.status_code NOT BETWEEN 200 AND 299))::int AS failed,
        round(percentile_cont(0.5) WITHIN GROUP (ORDER BY a.latency_ms))::int AS "p50Ms",
        round(percentile_cont(0.95) WITHIN GROUP (ORDER BY a.latency_ms))::int AS "p95Ms"
      FROM (SELECT * FROM attempt ORDER BY id DESC LIMIT ${maxAttempts}) a
      WHERE a.started_at > now() - interval '1 day' GROUP BY a.webhook_id
    ) x JOIN webhook w ON w.id = x.webhook_id
    ORDER BY x."p95Ms" DESC, w.id LIMIT ${maxRows}`,
  );
}
