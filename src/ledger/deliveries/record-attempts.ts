import type { Attempt, Judged, Recorded } from "../../domain/delivery/attempt.ts";
import {
  circuitLimits,
  type DisabledReason,
  failingLimits,
  type StoredDeliveryStatus,
  slowMs,
} from "../../domain/delivery/delivery.ts";
import type { CircuitState } from "../../domain/webhook/registration.ts";
import { Prisma } from "../generated/client.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import type { Database } from "../postgres/database.ts";
import { preparedByIndex } from "../postgres/statement.ts";
import type { Statements, TxStatements } from "../postgres/statements.ts";
import { inTransactionByIndex } from "../postgres/transaction.ts";
import { leavesLineWhere } from "../webhooks/lines.ts";

/**
 * Records attempts in one transaction, all or none. `records` are in the order of the answers. Each
 * attempt is logged once, even if its claim has ended. Safe to repeat: with `areRepeated`, attempts
 * that are on record already count no failure twice.
 *
 * A delivery's state changes only if the claim's token still holds. If the delivery now goes to
 * another webhook, only its claim ends. A webhook's health changes only if its URL and secret are
 * still those of the send.
 *
 * It does not wait for a webhook that another transaction holds, since the batch has attempts of
 * others. A business that changes its webhook holds it. Give `unjudged` to `judgeWebhooks`.
 */
export async function recordAttempts(
  db: Database,
  records: Attempt[],
  areRepeated = false,
): Promise<Recorded> {
  return inTransactionByIndex(db, async (tx) => {
    const unlogged = areRepeated ? await withoutLogged(tx, records) : records;
    // Webhooks are locked before deliveries, each in the order of ids. Transactions with this order
    // cannot deadlock.
    const [{ passed, ...health }, movedDeliveryIds] = await Promise.all([
      moveHealth(tx.$queryRaw, unlogged, Prisma.sql`SKIP LOCKED`),
      moveDeliveries(tx, unlogged),
    ]);
    const unjudged = unlogged.filter(({ webhookId }) => passed.has(webhookId));
    const repeated = records.length - unlogged.length;
    return { movedDeliveryIds, repeated, unjudged, ...health };
  });
}

/** Moves the health of webhooks by attempts that are on record. Waits for whoever holds them. */
export async function judgeWebhooks(db: Database, unjudged: Attempt[]): Promise<Judged> {
  return inTransactionByIndex(db, async (tx) => {
    const { passed: _, ...judged } = await moveHealth(tx.$lastRaw, unjudged, Prisma.empty);
    return judged;
  });
}

/** A record is logged already if it was stored, and the answer was lost. */
async function withoutLogged(tx: Statements, records: Attempt[]): Promise<Attempt[]> {
  const logged = await tx.$queryRaw<Pick<Attempt, "deliveryId" | "startedAt">[]>`
    SELECT a.delivery_id AS "deliveryId", a.started_at AS "startedAt" FROM unnest(
      ${arrayLiteral(records.map(({ deliveryId }) => deliveryId))}::uuid[],
      ${arrayLiteral(records.map(({ startedAt }) => startedAt.toISOString()))}::timestamptz[]
    ) AS r(delivery_id, started_at)
    JOIN attempt a ON a.delivery_id = r.delivery_id AND a.started_at = r.started_at`;
  const keyOf = (of: Pick<Attempt, "deliveryId" | "startedAt">) =>
    `${of.deliveryId} ${of.startedAt.getTime()}`;
  const known = new Set(logged.map(keyOf));
  return records.filter((record) => !known.has(keyOf(record)));
}

/** `passed`: the webhooks that another transaction holds. */
type HealthMoved = Judged & { passed: Set<string> };

/** The results of a batch for one webhook, sent with this URL and secret. */
type Health = {
  webhookId: string;
  url: string;
  secretCiphertext: string;
  hasSuccess: boolean;
  /** Failures since the last success in the batch. Without a success: all failures. */
  failures: number;
  isGone: boolean;
  /** True if any request was answered, with whatever status. */
  hasAnswer: boolean;
  /** True if the last request took long or timed out. */
  isSlow: boolean;
};

/** Sums a batch up by webhook, keeping the order of the answers. */
function summarizeHealth(records: Attempt[]): Health[] {
  const byUse = new Map<string, Health>();
  for (const { webhookId, url, secretCiphertext, outcome, result, latencyMs } of records) {
    const key = `${webhookId} ${secretCiphertext} ${url}`;
    const before = byUse.get(key);
    const isAccepted = outcome === "accepted";
    byUse.set(key, {
      webhookId,
      url,
      secretCiphertext,
      hasSuccess: isAccepted || (before?.hasSuccess ?? false),
      failures: isAccepted ? 0 : (before?.failures ?? 0) + 1,
      isGone: outcome === "gone" || (before?.isGone ?? false),
      hasAnswer: result.kind === "answered" || (before?.hasAnswer ?? false),
      isSlow:
        latencyMs > slowMs || (result.kind === "unanswered" && result.errorKind === "timeout"),
    });
  }
  return [...byUse.values()];
}

/**
 * Condition that results `s` move the health of a webhook `w`. A healthy webhook that was written
 * within the last second is skipped. Otherwise every batch would write its row.
 */
const isConcerned = Prisma.sql`w.id = s.webhook_id
  AND w.url = s.url AND w.secret_ciphertext = s.secret_ciphertext AND w.deleted_at IS NULL
  AND (s.failures > 0 OR w.consecutive_failures > 0 OR w.last_success_at IS NULL
    OR w.is_timing_out <> s.is_slow OR w.last_success_at < now() - interval '1 second')`;

async function moveHealth(
  queryRaw: Statements["$queryRaw"],
  records: Attempt[],
  passing: Prisma.Sql,
): Promise<HealthMoved> {
  const said = summarizeHealth(records);
  const { failures, firstPauseMs, longestPauseMs } = circuitLimits;
  type Moved = { webhookId: string; reason: DisabledReason | null; circuit: CircuitState | null };
  const moved = await queryRaw<(Moved & { isPassed: boolean })[]>`
    WITH s AS (
      SELECT * FROM unnest(
        ${arrayLiteral(said.map(({ webhookId }) => webhookId))}::uuid[],
        ${said.map(({ url }) => url)}::text[],
        ${said.map(({ secretCiphertext }) => secretCiphertext)}::text[],
        ${arrayLiteral(said.map(({ hasSuccess }) => String(hasSuccess)))}::boolean[],
        ${arrayLiteral(said.map(({ failures }) => failures))}::int[],
        ${arrayLiteral(said.map(({ isGone }) => String(isGone)))}::boolean[],
        ${arrayLiteral(said.map(({ hasAnswer }) => String(hasAnswer)))}::boolean[],
        ${arrayLiteral(said.map(({ isSlow }) => String(isSlow)))}::boolean[]
      ) AS s(webhook_id, url, secret_ciphertext, has_success, failures, is_gone, has_answer, is_slow)
    ), held AS (
      SELECT w.id, s.has_success, s.is_gone, s.has_answer, s.is_slow, w.is_active, w.circuit_opened_at,
        CASE WHEN s.has_success THEN s.failures ELSE w.consecutive_failures + s.failures END AS failures,
        CASE WHEN s.failures = 0 THEN NULL
          WHEN s.has_success THEN now() ELSE coalesce(w.failing_since, now()) END AS since
      FROM s JOIN webhook w ON ${isConcerned}
      ORDER BY w.id FOR NO KEY UPDATE OF w ${passing}
    ), judged AS (
      SELECT held.*, CASE WHEN NOT is_active THEN NULL WHEN is_gone THEN 'gone'
        WHEN failures >= ${failingLimits.attempts}
          AND since <= now() - ${failingLimits.durationMs} * interval '1 ms' THEN 'failing'
        END AS reason,
        CASE WHEN failures >= ${failures} THEN now() + interval '1 ms'
          * least(${longestPauseMs}::float8, ${firstPauseMs} * power(2, least(failures - ${failures}, 16))) END AS retry_at
      FROM held
    ), moved AS (
      UPDATE webhook w SET
        mark = w.mark + 1,
        last_success_at = CASE WHEN j.has_success THEN now() ELSE w.last_success_at END,
        consecutive_failures = j.failures,
        failing_since = j.since,
        answered_at = CASE WHEN j.has_answer THEN now() ELSE w.answered_at END,
        is_timing_out = j.is_slow,
        circuit_opened_at = CASE WHEN j.retry_at IS NULL THEN NULL ELSE coalesce(w.circuit_opened_at, now()) END,
        circuit_retry_at = j.retry_at,
        is_active = w.is_active AND j.reason IS NULL,
        disabled_at = CASE WHEN j.reason IS NULL THEN w.disabled_at ELSE now() END,
        disabled_reason = coalesce(j.reason, w.disabled_reason)
      FROM judged j WHERE w.id = j.id
    )
    SELECT id AS "webhookId", reason, CASE WHEN (circuit_opened_at IS NULL) = (retry_at IS NULL) THEN NULL
        WHEN retry_at IS NULL THEN 'closed' ELSE 'open' END AS circuit, false AS "isPassed"
    FROM judged WHERE reason IS NOT NULL OR (circuit_opened_at IS NULL) <> (retry_at IS NULL)
    UNION ALL
    SELECT w.id, NULL, NULL, true FROM s JOIN webhook w ON ${isConcerned} WHERE w.id NOT IN (SELECT id FROM held)`;
  return {
    passed: new Set(moved.flatMap(({ webhookId, isPassed }) => (isPassed ? [webhookId] : []))),
    disabled: moved.flatMap(({ webhookId, reason }) =>
      reason === null ? [] : [{ webhookId, reason }],
    ),
    circuits: moved.flatMap(({ webhookId, circuit }) =>
      circuit === null ? [] : [{ webhookId, circuit }],
    ),
  };
}

// An attempt gets the number after the last one in the log. Attempts of ended claims may have taken
// its own meanwhile, also in this batch. Only a statement that begins under the lock of the rows
// sees all of them. So the lock is a statement of its own.
//
// A delivery of a replaced webhook stays waiting, whatever its attempt's outcome. The new webhook
// gets it. The columns are arrays, of which the planner expects ten rows. Of JSON it would expect a
// hundred, and read whole tables.
//
// Every row is locked in the order of ids, also a row whose token no longer holds. Meanwhile others
// may read its line and skip the locked row (delivery_front). So that row is written too,
// unchanged, which has its line read again. Otherwise a line might be left without a front.
//
// Planning it each time took a sixth of it. One plan serves all sizes, because the planner has no
// choice. Each row is looked up by its id (LATERAL with a limit), and written where it was found.
async function moveDeliveries(tx: TxStatements, records: Attempt[]): Promise<string[]> {
  const rows = records.map(toRow);
  tx.$sendRaw`
    SELECT FROM delivery WHERE id = ANY(${arrayLiteral(rows.map(({ deliveryId }) => deliveryId))}::uuid[])
    ORDER BY id FOR NO KEY UPDATE`;
  const moved = await tx.$lastRaw<{ id: string; isMoved: boolean }[]>`
    ${preparedByIndex} WITH held AS (
      SELECT r.*, d.place, d.claim_token IS NOT DISTINCT FROM r.token AS holds,
        d.status = 'waiting' AND d.webhook_id = r.webhook_id AS is_current,
        w.deleted_at IS NOT NULL AS is_replaced, coalesce(w.holds_exhausted, false) AS holds_exhausted FROM unnest(
        ${arrayLiteral(rows.map(({ deliveryId }) => deliveryId))}::uuid[],
        ${arrayLiteral(rows.map(({ token }) => token))}::uuid[],
        ${arrayLiteral(rows.map(({ webhookId }) => webhookId))}::uuid[],
        ${arrayLiteral(rows.map(({ webhookVersion }) => webhookVersion))}::int[],
        ${arrayLiteral(rows.map(({ number }) => number))}::int[],
        ${arrayLiteral(rows.map(({ startedAt }) => startedAt.toISOString()))}::timestamptz[],
        ${arrayLiteral(rows.map(({ latencyMs }) => latencyMs))}::int[],
        ${arrayLiteral(rows.map(({ statusCode }) => statusCode))}::int[],
        ${arrayLiteral(rows.map(({ errorKind }) => errorKind))}::text[],
        ${rows.map(({ response }) => response)}::text[],
        ${arrayLiteral(rows.map(({ status }) => status))}::text[],
        ${arrayLiteral(rows.map(({ delayMs }) => delayMs))}::bigint[]
      ) AS r(delivery_id, token, webhook_id, webhook_version, number, started_at, latency_ms, status_code, error_kind,
        response, status, delay_ms)
      CROSS JOIN LATERAL (SELECT ctid AS place, * FROM delivery WHERE id = r.delivery_id LIMIT 1) d
      LEFT JOIN LATERAL (SELECT * FROM webhook WHERE id = d.webhook_id LIMIT 1) w ON true
    ), logged AS (
      INSERT INTO attempt (delivery_id, webhook_id, webhook_version, number, started_at, latency_ms,
        status_code, error_kind, response, next_due_at)
      SELECT held.delivery_id, webhook_id, webhook_version,
        log.last + row_number() OVER (PARTITION BY held.delivery_id ORDER BY started_at),
        started_at, latency_ms, status_code, error_kind, response, now() + delay_ms * interval '1 ms'
      FROM held CROSS JOIN LATERAL (
        SELECT coalesce(max(a.number), 0) AS last, coalesce(bool_or(a.started_at = held.started_at), false) AS has_it
        FROM attempt a WHERE a.delivery_id = held.delivery_id
      ) log
      WHERE log.last < held.number OR NOT log.has_it
    ), passed AS (
      UPDATE delivery d SET wallet_id = d.wallet_id
      WHERE d.id = ANY(ARRAY(SELECT delivery_id FROM held GROUP BY delivery_id HAVING NOT bool_or(holds)))
        AND d.wallet_id IS NOT NULL
    )
    UPDATE delivery d SET
      status = CASE WHEN is_current AND NOT is_replaced THEN held.status ELSE d.status END,
      attempts = d.attempts + CASE WHEN is_current THEN 1 ELSE 0 END,
      due_at = CASE WHEN is_current THEN coalesce(now() + held.delay_ms * interval '1 ms', d.due_at) ELSE d.due_at END,
      delivered_at = CASE WHEN is_current AND NOT is_replaced AND held.status = 'delivered' THEN now() ELSE d.delivered_at END,
      ${leavesLineWhere(Prisma.sql`is_current AND NOT is_replaced
        AND (held.status = 'delivered' OR held.status = 'exhausted' AND NOT holds_exhausted)`)},
      unrecorded = 0, claim_token = NULL, claim_expires_at = NULL, begun_at = NULL
    FROM held
    WHERE d.ctid = held.place AND held.holds
    RETURNING d.id, held.is_current AS "isMoved"`;
  return moved.flatMap(({ id, isMoved }) => (isMoved ? [id] : []));
}

function toRow(record: Attempt) {
  const { deliveryId, token, webhookId, webhookVersion, number, startedAt, latencyMs, result } =
    record;
  const answer =
    result.kind === "answered"
      ? { statusCode: result.statusCode, errorKind: null, response: result.response }
      : { statusCode: null, errorKind: result.errorKind, response: null };
  return {
    deliveryId,
    token,
    webhookId,
    webhookVersion,
    number,
    startedAt,
    latencyMs,
    ...answer,
    ...follow(record),
  };
}

type Follow = { status: StoredDeliveryStatus; delayMs: number | null };

function follow({ outcome, next }: Attempt): Follow {
  if (outcome === "accepted") return { status: "delivered", delayMs: null };
  return next.kind === "exhausted"
    ? { status: "exhausted", delayMs: null }
    : { status: "waiting", delayMs: next.delayMs };
}
