import type { Swept } from "../../domain/delivery/claim.ts";
import { unrecordedLimit } from "../../domain/delivery/delivery.ts";
import { nextAttempt, type RetrySchedule } from "../../domain/delivery/retry-schedule.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import type { Statements } from "../postgres/statements.ts";
import { inTransactionByIndex } from "../postgres/transaction.ts";
import { leavesLineWhere } from "../webhooks/lines.ts";
import { type ClaimMemory, claimedDeliveries, emptyMemory } from "./claim-memory.ts";

export type Sweep = {
  schedule: RetrySchedule;
  /** In [0, 1). Spreads the times of retries. */
  random: () => number;
  /** The most deliveries in one call. */
  limit: number;
};

// An expired claim was known at the last claim, or is newer. Rows that another transaction locks
// are skipped, so no order of locks is needed.

/**
 * Ends claims whose lease has expired. Their deliveries are due again. A delivery that was sent
 * `unrecordedLimit` times without a record gets one failed attempt (`unrecorded`) instead, and
 * continues on its schedule. So nothing is sent without end (docs/invariants.md#i8). Safe to
 * repeat, and for any number of processes.
 */
export async function sweepClaims(
  db: Database,
  sweep: Sweep,
  memory: ClaimMemory = emptyMemory(),
): Promise<Swept> {
  return inTransactionByIndex(db, async (tx) => {
    const postponed = await postpone(tx, sweep, memory);
    const freed = await tx.$executeRaw`
      WITH expired AS (
        SELECT id FROM delivery
        WHERE id = ANY(ARRAY(${expired(memory)})) AND claim_expires_at <= now()
          AND (begun_at IS NULL OR unrecorded < ${unrecordedLimit} OR status <> 'waiting')
        ORDER BY claim_token LIMIT ${sweep.limit} FOR NO KEY UPDATE SKIP LOCKED
      )
      UPDATE delivery d SET claim_token = NULL, claim_expires_at = NULL, begun_at = NULL
      FROM expired e WHERE d.id = e.id`;
    return { freed, postponed };
  });
}

const expired = (memory: ClaimMemory) => Prisma.sql`
  SELECT id FROM ${claimedDeliveries(memory)} c WHERE claim_expires_at <= now()`;

type Unrecorded = { id: string; attempt: number; maxAttempts: number | null };

async function postpone(
  tx: Statements,
  { schedule, random, limit }: Sweep,
  memory: ClaimMemory,
): Promise<number> {
  const rows = await tx.$queryRaw<Unrecorded[]>`
    SELECT id, attempts + 1 AS attempt, max_attempts AS "maxAttempts" FROM delivery
    WHERE id = ANY(ARRAY(${expired(memory)})) AND claim_expires_at <= now()
      AND begun_at IS NOT NULL AND unrecorded >= ${unrecordedLimit} AND status = 'waiting'
    ORDER BY claim_token LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED`;
  if (rows.length === 0) return 0;
  const moves = rows.map((row) => {
    const next = nextAttempt({ ...row, schedule, retryAfterMs: null, random: random() });
    return { id: row.id, delayMs: next.kind === "retry" ? next.delayMs : null };
  });
  return tx.$executeRaw`
    WITH moves AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(moves)}::jsonb) AS x(id uuid, "delayMs" bigint)
    ), logged AS (
      INSERT INTO attempt (delivery_id, webhook_id, number, started_at, latency_ms, error_kind, next_due_at)
      SELECT d.id, d.webhook_id,
        (SELECT coalesce(max(a.number), 0) + 1 FROM attempt a WHERE a.delivery_id = d.id),
        d.begun_at, 0, 'unrecorded', now() + m."delayMs" * interval '1 ms'
      FROM moves m JOIN delivery d ON d.id = m.id
      ON CONFLICT (delivery_id, number) DO NOTHING
    )
    UPDATE delivery d SET
      status = CASE WHEN m."delayMs" IS NULL THEN 'exhausted' ELSE 'waiting' END,
      due_at = coalesce(now() + m."delayMs" * interval '1 ms', d.due_at),
      ${leavesLineWhere(Prisma.sql`m."delayMs" IS NULL
        AND NOT EXISTS (SELECT FROM webhook w WHERE w.id = d.webhook_id AND w.holds_exhausted)`)},
      attempts = d.attempts + 1, unrecorded = 0,
      claim_token = NULL, claim_expires_at = NULL, begun_at = NULL
    FROM moves m WHERE d.id = m.id`;
}

/**
 * The tokens of claims made at least `olderThanMs` ago that are not begun, oldest first. If their
 * jobs are missing in the queue, they can be given back before the lease ends.
 */
export async function listUnbegunClaims(
  db: Database,
  options: { leaseMs: number; olderThanMs: number; limit: number },
  memory: ClaimMemory = emptyMemory(),
): Promise<{ token: string; ageMs: number }[]> {
  const { leaseMs, olderThanMs, limit } = options;
  return inTransactionByIndex(
    db,
    (tx) => tx.$queryRaw<{ token: string; ageMs: number }[]>`
      SELECT claim_token AS token,
        (extract(epoch FROM now() - min(claim_expires_at)) * 1000 + ${leaseMs})::int AS "ageMs"
      FROM ${claimedDeliveries(memory)} c
      WHERE begun_at IS NULL AND claim_expires_at > now()
        AND claim_expires_at <= now() + ${leaseMs - olderThanMs} * interval '1 ms'
      GROUP BY claim_token ORDER BY min(claim_expires_at) LIMIT ${limit}`,
  );
}
