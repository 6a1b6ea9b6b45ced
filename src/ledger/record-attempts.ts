import {
  type AttemptOutcome,
  type AttemptResult,
  type DisabledReason,
  failingLimits,
} from "../domain/delivery.ts";
import type { NextAttempt } from "../domain/retry-schedule.ts";
import type { Database } from "./database.ts";
import { inStatements, type Statements } from "./statements.ts";

/** One POST that was made under a claim, what came of it, and what is to follow. */
export type AttemptRecord = {
  deliveryId: string;
  /** The claim it was made under. */
  token: string;
  webhookId: string;
  /** What was used, to tell whether the webhook is still the one that answered. */
  url: string;
  secretCiphertext: string;
  /** In the log of the delivery, from 1; the same attempt keeps its number when it is recorded again. */
  number: number;
  startedAt: Date;
  latencyMs: number;
  result: AttemptResult;
  outcome: AttemptOutcome;
  /** What follows unless it was accepted; its time counts from the record, by the database's clock. */
  next: NextAttempt;
};

export type Recorded = {
  /** The deliveries whose state moved; of the others the claim was lost, and only the attempt is on record. */
  movedDeliveryIds: string[];
  disabled: { webhookId: string; reason: DisabledReason }[];
};

/**
 * Records attempts in one transaction, all or none. Each attempt is logged once, whoever holds the claim by now; the
 * delivery's state moves only where the claim's token still holds; the webhook's health and activation only where its
 * URL and secret are still those that were used. Safe to repeat. Records are in the order in which the answers came.
 */
export async function recordAttempts(db: Database, records: AttemptRecord[]): Promise<Recorded> {
  const disabled: Recorded["disabled"] = [];
  const movedDeliveryIds = await inStatements(db, async (tx) => {
    // Webhooks before deliveries and each in the order of ids: whoever locks both in this order cannot deadlock.
    disabled.push(...(await moveHealth(tx, records)));
    return moveDeliveries(tx, records);
  });
  return { movedDeliveryIds, disabled };
}

/** What a batch says of one webhook as it was when it was used. */
type Health = {
  webhookId: string;
  url: string;
  secretCiphertext: string;
  hasSuccess: boolean;
  /** Failures since the last success in the batch, or all of them. */
  failures: number;
  isGone: boolean;
  /** The last of them timed out. */
  isTimeout: boolean;
};

/** Sums a batch up by webhook, keeping the order of the answers. */
function summarizeHealth(records: AttemptRecord[]): Health[] {
  const byUse = new Map<string, Health>();
  for (const { webhookId, url, secretCiphertext, outcome, result } of records) {
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
      isTimeout: result.kind === "unanswered" && result.errorKind === "timeout",
    });
  }
  return [...byUse.values()];
}

// A healthy webhook that was marked within the last second is left alone: its row would be the one that every batch
// writes and waits for.
async function moveHealth(tx: Statements, records: AttemptRecord[]): Promise<Recorded["disabled"]> {
  const health = JSON.stringify(summarizeHealth(records));
  return tx.$queryRaw<Recorded["disabled"]>`
    WITH said AS (
      SELECT * FROM jsonb_to_recordset(${health}::jsonb) AS x("webhookId" uuid, url text,
        "secretCiphertext" text, "hasSuccess" boolean, failures int, "isGone" boolean, "isTimeout" boolean)
    ), held AS (
      SELECT w.id, s."hasSuccess", s."isGone", s."isTimeout", w.is_active,
        CASE WHEN s."hasSuccess" THEN s.failures ELSE w.consecutive_failures + s.failures END AS failures,
        CASE WHEN s.failures = 0 THEN NULL
          WHEN s."hasSuccess" THEN now() ELSE coalesce(w.failing_since, now()) END AS since
      FROM webhook w JOIN said s ON s."webhookId" = w.id
      WHERE w.url = s.url AND w.secret_ciphertext = s."secretCiphertext" AND w.deleted_at IS NULL
        AND (s.failures > 0 OR w.consecutive_failures > 0 OR w.last_success_at IS NULL
          OR w.last_success_at < now() - interval '1 second')
      ORDER BY w.id FOR NO KEY UPDATE OF w
    ), judged AS (
      SELECT held.*, CASE WHEN NOT is_active THEN NULL WHEN "isGone" THEN 'gone'
        WHEN failures >= ${failingLimits.attempts}
          AND since <= now() - ${failingLimits.durationMs} * interval '1 ms' THEN 'failing'
        END AS reason
      FROM held
    ), moved AS (
      UPDATE webhook w SET
        last_success_at = CASE WHEN j."hasSuccess" THEN now() ELSE w.last_success_at END,
        consecutive_failures = j.failures,
        failing_since = j.since,
        is_timing_out = j."isTimeout",
        is_active = w.is_active AND j.reason IS NULL,
        disabled_at = CASE WHEN j.reason IS NULL THEN w.disabled_at ELSE now() END,
        disabled_reason = coalesce(j.reason, w.disabled_reason)
      FROM judged j WHERE w.id = j.id
    )
    SELECT id AS "webhookId", reason FROM judged WHERE reason IS NOT NULL`;
}

async function moveDeliveries(tx: Statements, records: AttemptRecord[]): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    WITH record AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(records.map(toRow))}::jsonb) AS x(
        "deliveryId" uuid, token uuid, "webhookId" uuid, number int, "startedAt" timestamptz,
        "latencyMs" int, "statusCode" int, "errorKind" text, response text, status text,
        "delayMs" bigint)
    ), held AS (
      SELECT d.id FROM delivery d JOIN record r ON r."deliveryId" = d.id
      ORDER BY d.id FOR NO KEY UPDATE OF d
    ), logged AS (
      INSERT INTO attempt (delivery_id, webhook_id, number, started_at, latency_ms, status_code,
        error_kind, response, next_due_at)
      SELECT held.id, r."webhookId", r.number, r."startedAt", r."latencyMs", r."statusCode",
        r."errorKind", r.response, now() + r."delayMs" * interval '1 ms'
      FROM record r JOIN held ON held.id = r."deliveryId"
      ON CONFLICT (delivery_id, number) DO NOTHING
    )
    UPDATE delivery d SET
      status = r.status,
      attempts = d.attempts + 1,
      due_at = coalesce(now() + r."delayMs" * interval '1 ms', d.due_at),
      delivered_at = CASE WHEN r.status = 'delivered' THEN now() ELSE d.delivered_at END,
      unrecorded = 0, claim_token = NULL, claim_expires_at = NULL, begun_at = NULL
    FROM record r JOIN held ON held.id = r."deliveryId"
    WHERE d.id = r."deliveryId" AND d.claim_token = r.token
    RETURNING d.id`;
  return rows.map(({ id }) => id);
}

function toRow(record: AttemptRecord) {
  const { deliveryId, token, webhookId, number, startedAt, latencyMs, result } = record;
  const answer =
    result.kind === "answered"
      ? { statusCode: result.statusCode, errorKind: null, response: result.response }
      : { statusCode: null, errorKind: result.errorKind, response: null };
  return {
    deliveryId,
    token,
    webhookId,
    number,
    startedAt,
    latencyMs,
    ...answer,
    ...follow(record),
  };
}

function follow({ outcome, next }: AttemptRecord): { status: string; delayMs: number | null } {
  if (outcome === "accepted") return { status: "delivered", delayMs: null };
  return next.kind === "exhausted"
    ? { status: "exhausted", delayMs: null }
    : { status: "waiting", delayMs: next.delayMs };
}
