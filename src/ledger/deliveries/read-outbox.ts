import type {
  BusinessOutbox,
  HourOfAttempts,
  OutboxReport,
  QueueSample,
  ReceiverFailures,
  ReceiverRecord,
} from "../../domain/business/outbox.ts";
import { Fault } from "../../domain/fault.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { tenMinutesOfSample } from "../postgres/sample-times.ts";
import { readRows } from "../postgres/statements.ts";
import { waitingDeliveries } from "../postgres/waiting-deliveries.ts";

/** The most rows of each list. */
const maxRows = 100;

/** The most attempts that are read: the newest. */
const maxAttempts = 20_000;

const newest = Prisma.sql`(SELECT * FROM attempt ORDER BY id DESC LIMIT ${maxAttempts})`;

const attemptsOfDay = Prisma.sql`(
  SELECT * FROM ${newest} newest WHERE started_at > now() - interval '1 day')`;

/** An attempt `a` was not accepted. */
const hasFailed = Prisma.sql`(a.status_code IS NULL OR a.status_code NOT BETWEEN 200 AND 299)`;

/**
 * Reads the waiting deliveries by business, the oldest first. Also reads how receivers answered in
 * the last day, the slowest first. It reads their failures by cause, the most frequent first. Of
 * more than 20,000 attempts it reads the newest, and `since` is the time of the oldest of these.
 * The parts are read one after another, not at one moment.
 */
export async function readOutboxReport(db: Database): Promise<OutboxReport> {
  return {
    since: await readSince(db),
    businesses: await readBusinesses(db),
    receivers: await readReceivers(db),
    failures: await readFailures(db),
    hours: await readHours(db),
    queue: await readQueue(db),
  };
}

async function readSince(db: Database): Promise<Date> {
  const [row] = await readRows<{ since: Date }>(
    db,
    Prisma.sql`
    SELECT GREATEST(now() - interval '1 day', CASE WHEN count(*) = ${maxAttempts} THEN min(started_at) END) AS since
    FROM ${newest} newest`,
  );
  if (row === undefined) throw new Fault("invariant_broken", "A SELECT of an aggregate has a row.");
  return row.since;
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
        (count(*) FILTER (WHERE ${hasFailed}))::int AS failed,
        round(percentile_cont(0.5) WITHIN GROUP (ORDER BY a.latency_ms))::int AS "p50Ms",
        round(percentile_cont(0.95) WITHIN GROUP (ORDER BY a.latency_ms))::int AS "p95Ms"
      FROM ${attemptsOfDay} a GROUP BY a.webhook_id
    ) x JOIN webhook w ON w.id = x.webhook_id
    ORDER BY x."p95Ms" DESC, w.id LIMIT ${maxRows}`,
  );
}

/** An hour without an attempt is left out. */
function readHours(db: Database): Promise<HourOfAttempts[]> {
  return readRows(
    db,
    Prisma.sql`
    SELECT date_trunc('hour', a.started_at, 'UTC') AS at, count(*)::int AS attempts,
      (count(*) FILTER (WHERE ${hasFailed}))::int AS failed,
      round(percentile_cont(0.5) WITHIN GROUP (ORDER BY a.latency_ms))::int AS "p50Ms",
      round(percentile_cont(0.95) WITHIN GROUP (ORDER BY a.latency_ms))::int AS "p95Ms"
    FROM ${attemptsOfDay} a GROUP BY 1 ORDER BY 1`,
  );
}

/** Ten minutes without a sample are left out. */
function readQueue(db: Database): Promise<QueueSample[]> {
  return readRows(
    db,
    Prisma.sql`
    SELECT ${tenMinutesOfSample} AS at, max(waiting) AS waiting, max(held) AS held
    FROM outbox_sample WHERE at > now() - interval '1 day' GROUP BY 1 ORDER BY 1`,
  );
}

function readFailures(db: Database): Promise<ReceiverFailures[]> {
  return readRows(
    db,
    Prisma.sql`
    SELECT w.business_id AS "businessId", w.id AS "webhookId", w.url, last.status_code AS "statusCode", last.error_kind AS "errorKind",
      x.attempts, x."firstAt", last.started_at AS "lastAt", d.notification_id AS "notificationId", last.response
    FROM (
      SELECT a.webhook_id, count(*)::int AS attempts, min(a.started_at) AS "firstAt", max(a.id) AS last_id
      FROM ${attemptsOfDay} a WHERE ${hasFailed}
      GROUP BY a.webhook_id, a.status_code, a.error_kind
    ) x JOIN webhook w ON w.id = x.webhook_id JOIN attempt last ON last.id = x.last_id
      JOIN delivery d ON d.id = last.delivery_id
    ORDER BY x.attempts DESC, x.last_id DESC LIMIT ${maxRows}`,
  );
}
