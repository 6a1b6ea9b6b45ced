import { randomUUID } from "node:crypto";
import type { Claim } from "../../domain/delivery/claim.ts";
import {
  answeringForMs,
  failuresUntilOneAtATime,
  hangingShare,
  knownForMs,
  placesAfterPause,
  slotHeldMs,
  slowMs,
} from "../../domain/delivery/delivery.ts";
import { Prisma } from "../generated/client.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import type { Database } from "../postgres/database.ts";
import { inStatementsByIndex, type Statements } from "../postgres/statements.ts";

export type ClaimLimits = {
  /** Webhooks served at most in one transaction. */
  webhookLimit: number;
  /** Deliveries of a business in flight at once, where it has no number of its own. */
  inFlight: number;
  leaseMs: number;
  /** A dispatcher that was silent for longer has no slots. */
  dispatcherSilentMs: number;
  /** Claimed beyond what the slots hold, to wait in the queue, as a share of the slots. */
  aheadShare: number;
  /** In [0, 1); spreads the places that are kept for retries where there is less than one of them. */
  random: () => number;
};

/** One relay admits at a time, so that two never fill the same slots: "chainbell claims" in a lock number. */
const claimLock = 7_163_384_643_246_253n;

/** Of all slots, what receivers that are slow or not known may have in flight together (docs/contract.md#fairness). */
const slowShare = 1 / 4;

/** A send that began so long ago and has no record is slow already: a second for its answer, and one for slot and record. */
const slowInFlightMs = slowMs + 1_000;

/** A send that began so long ago has given its slot up: the time it may hold it, and some for slot and record. */
const hangingInFlightMs = slotHeldMs + 100;

/** Of a webhook's places this share goes to retries while some are due; the rest to first attempts. */
const retryShare = 1 / 4;

/**
 * Claims due deliveries for the free slots of the live dispatchers, and some ahead of them: webhooks round robin, each up to its
 * business's number in flight, whatever webhook that was sent to, first attempts in ledger order, retries in the order they fell due. What another transaction holds is left for the next
 * call. A claim is not yet a job: who enqueues it gives it back when that fails. Safe to call from any number of
 * processes.
 */
export async function claimDeliveries(db: Database, limits: ClaimLimits): Promise<Claim[]> {
  return inStatementsByIndex(db, async (tx) => {
    // Nor does it wait for the disk: what a crash of the server takes away with a claim is due again. Whatever is made of
    // it is committed after it, and so never there without it.
    await tx.$queryRaw`
      SELECT pg_advisory_xact_lock(${claimLock}), set_config('synchronous_commit', 'off', true)`;
    const candidates = await dueWebhooks(tx, limits);
    const shares = shareSlots(candidates, limits.random);
    return shares.length === 0 ? [] : claimShares(tx, shares, limits.leaseMs);
  });
}

/** A webhook with something due; `free` is how many slots there are for all of them. */
export type Candidate = {
  webhookId: string;
  consecutiveFailures: number;
  limit: number;
  /** Of its business, also to webhooks that were replaced since. */
  inFlight: number;
  /** Its last attempt was slow, or one in flight is. */
  isSlow: boolean;
  /** It has answered something lately. */
  isKnown: boolean;
  /** It has just done so; else it is asked with a few first. */
  isAnswering: boolean;
  /** Attempts that its own rate admits now; null: it has none. */
  rateLeft: number | null;
  free: number;
  /** Of those, what receivers that are slow or not known may have together. */
  freeForDoubtful: number;
};

export type Share = { webhookId: string; places: number; retryPlaces: number };

/**
 * Hands the free slots out in the order given. A webhook that keeps failing, or that nobody knows yet, gets one place at
 * most, and one after a pause a few until it answers; those that are slow hold a slot for long, and with those that nobody knows get no more than their part together.
 */
export function shareSlots(candidates: Candidate[], random: () => number): Share[] {
  let free = candidates[0]?.free ?? 0;
  let freeForDoubtful = candidates[0]?.freeForDoubtful ?? 0;
  const shares: Share[] = [];
  for (const candidate of candidates) {
    const isFailing = candidate.consecutiveFailures >= failuresUntilOneAtATime;
    const isDoubtful = candidate.isSlow || !candidate.isKnown;
    const first = candidate.isAnswering ? candidate.limit : placesAfterPause;
    const limit = isFailing || !candidate.isKnown ? 1 : Math.min(first, candidate.limit);
    const open = isDoubtful ? Math.min(free, freeForDoubtful) : free;
    const places = Math.min(limit - candidate.inFlight, open, candidate.rateLeft ?? open);
    if (places <= 0) continue;
    free -= places;
    if (isDoubtful) freeForDoubtful -= places;
    // Rounded up or down at random, so that the share holds on average where there are few places, or one.
    const retryPlaces = Math.floor(places * retryShare + random());
    shares.push({ webhookId: candidate.webhookId, places, retryPlaces });
  }
  return shares;
}

/** Of a webhook `w` with a rate: a second's worth after a pause, and less by what was claimed within the last one. */
const rateLeft = Prisma.sql`floor(w.rate * (1 - extract(epoch FROM
  greatest(w.rate_until, statement_timestamp()) - statement_timestamp())))::int`;

/** Who has answered since then is known. */
const knownSince = Prisma.sql`statement_timestamp() - ${knownForMs} * interval '1 ms'`;

/** Who has answered since then is answering. */
const answeringSince = Prisma.sql`statement_timestamp() - ${answeringForMs} * interval '1 ms'`;

// The two recursive parts are loose index scans: they step from one webhook that has something waiting to the next,
// so their cost grows with those webhooks and not with the deliveries. For the same reason LIMIT 1 stands where EXISTS
// would read better: the planner turns EXISTS into a hash of everything that waits. statement_timestamp(), because the transaction
// may have waited for the lock.
async function dueWebhooks(tx: Statements, limits: ClaimLimits): Promise<Candidate[]> {
  return tx.$queryRaw<Candidate[]>`
    WITH RECURSIVE flight AS (
      SELECT business_id, count(*)::int AS n,
        count(*) FILTER (WHERE begun_at <= statement_timestamp() - ${hangingInFlightMs} * interval '1 ms')::int AS hanging,
        coalesce(bool_or(begun_at <= statement_timestamp() - ${slowInFlightMs} * interval '1 ms'), false) AS is_slow
      FROM delivery
      WHERE claim_token IS NOT NULL AND claim_expires_at > statement_timestamp()
      GROUP BY business_id
    ), capacity AS (
      SELECT (floor(all_slots * (1 + ${limits.aheadShare}::float8))
          - (SELECT coalesce(sum(n - hanging), 0) + greatest(0, coalesce(sum(hanging), 0) - all_slots * ${hangingShare}::int)
            FROM flight))::int AS free,
        (ceil(all_slots * ${slowShare}::float8) - (SELECT coalesce(sum(n), 0)
          FROM flight LEFT JOIN webhook w ON w.business_id = flight.business_id AND w.deleted_at IS NULL
          WHERE flight.is_slow OR w.id IS NULL OR w.is_timing_out
            OR w.answered_at IS NULL OR w.answered_at < ${knownSince}))::int AS "freeForDoubtful"
      FROM (
        SELECT coalesce(sum(slots), 0) AS all_slots FROM dispatcher
        WHERE seen_at > statement_timestamp() - ${limits.dispatcherSilentMs} * interval '1 ms'
      ) live
    ), fresh AS (
      (SELECT webhook_id FROM delivery
       WHERE status = 'waiting' AND attempts = 0 AND webhook_id IS NOT NULL
       ORDER BY webhook_id LIMIT 1)
      UNION ALL
      SELECT (SELECT d.webhook_id FROM delivery d
              WHERE d.status = 'waiting' AND d.attempts = 0 AND d.webhook_id > f.webhook_id
              ORDER BY d.webhook_id LIMIT 1)
      FROM fresh f WHERE f.webhook_id IS NOT NULL
    ), retry AS (
      (SELECT webhook_id FROM delivery
       WHERE status = 'waiting' AND attempts > 0 AND webhook_id IS NOT NULL
       ORDER BY webhook_id LIMIT 1)
      UNION ALL
      SELECT (SELECT d.webhook_id FROM delivery d
              WHERE d.status = 'waiting' AND d.attempts > 0 AND d.webhook_id > r.webhook_id
              ORDER BY d.webhook_id LIMIT 1)
      FROM retry r WHERE r.webhook_id IS NOT NULL
    )
    SELECT w.id AS "webhookId", w.consecutive_failures AS "consecutiveFailures",
      coalesce(b.in_flight, ${limits.inFlight}::int) AS "limit",
      coalesce(f.n, 0) AS "inFlight",
      w.is_timing_out OR coalesce(f.is_slow, false) AS "isSlow",
      coalesce(w.answered_at >= ${knownSince}, false) AS "isKnown",
      coalesce(w.answered_at >= ${answeringSince}, false) AS "isAnswering", ${rateLeft} AS "rateLeft",
      (SELECT free FROM capacity) AS free,
      (SELECT "freeForDoubtful" FROM capacity) AS "freeForDoubtful"
    FROM webhook w JOIN business b ON b.id = w.business_id LEFT JOIN flight f ON f.business_id = w.business_id
    WHERE (SELECT free FROM capacity) > 0
      AND (NOT w.is_timing_out AND NOT coalesce(f.is_slow, false) AND w.answered_at >= ${knownSince}
        OR (SELECT "freeForDoubtful" FROM capacity) > 0)
      AND w.id IN (SELECT webhook_id FROM fresh UNION SELECT webhook_id FROM retry)
      AND w.is_active AND w.deleted_at IS NULL AND b.suspended_at IS NULL
      AND (w.circuit_retry_at IS NULL OR w.circuit_retry_at <= statement_timestamp())
      AND (w.rate IS NULL OR ${rateLeft} >= 1)
      AND coalesce(f.n, 0)
        < CASE WHEN w.consecutive_failures >= ${failuresUntilOneAtATime}
            OR w.answered_at IS NULL OR w.answered_at < ${knownSince} THEN 1
          WHEN w.answered_at < ${answeringSince} THEN least(${placesAfterPause}::int, coalesce(b.in_flight, ${limits.inFlight}::int))
          ELSE coalesce(b.in_flight, ${limits.inFlight}::int) END
      AND coalesce(
        (SELECT true FROM delivery d
         WHERE d.webhook_id = w.id AND d.status = 'waiting' AND d.attempts = 0
           AND d.claim_token IS NULL AND d.due_at <= statement_timestamp() LIMIT 1),
        (SELECT true FROM delivery d
         WHERE d.webhook_id = w.id AND d.status = 'waiting' AND d.attempts > 0
           AND d.claim_token IS NULL AND d.due_at <= statement_timestamp() LIMIT 1),
        false)
    ORDER BY w.last_claimed_at NULLS FIRST, w.id
    LIMIT ${limits.webhookLimit}
    FOR NO KEY UPDATE OF w SKIP LOCKED`;
}

// Not FOR UPDATE on the webhooks, above: the ledger's commit holds FOR KEY SHARE on them through its foreign keys, and the relay would skip them.
async function claimShares(tx: Statements, shares: Share[], leaseMs: number): Promise<Claim[]> {
  return tx.$queryRaw<Claim[]>`
    WITH picked AS (
      SELECT w.token, p.id FROM unnest(
        ${arrayLiteral(shares.map(() => randomUUID()))}::uuid[],
        ${arrayLiteral(shares.map(({ webhookId }) => webhookId))}::uuid[],
        ${arrayLiteral(shares.map(({ places }) => places))}::int[],
        ${arrayLiteral(shares.map(({ retryPlaces }) => retryPlaces))}::int[]
      ) AS w(token, webhook_id, places, retry_places) CROSS JOIN LATERAL (
        SELECT due.id FROM (
          (SELECT id, false AS is_retry, row_number() OVER (ORDER BY seq) AS rank FROM delivery
           WHERE webhook_id = w.webhook_id AND status = 'waiting' AND attempts = 0
             AND claim_token IS NULL AND due_at <= statement_timestamp()
           ORDER BY seq LIMIT w.places)
          UNION ALL
          (SELECT id, true, row_number() OVER (ORDER BY due_at) FROM delivery
           WHERE webhook_id = w.webhook_id AND status = 'waiting' AND attempts > 0
             AND claim_token IS NULL AND due_at <= statement_timestamp()
           ORDER BY due_at LIMIT w.places)
        ) due
        ORDER BY (due.is_retry AND due.rank <= w.retry_places) DESC, due.is_retry, due.rank
        LIMIT w.places
      ) p
    ), claimed AS (
      UPDATE delivery d SET claim_token = p.token, begun_at = NULL,
        claim_expires_at = statement_timestamp() + ${leaseMs} * interval '1 ms'
      FROM picked p WHERE d.id = p.id AND d.claim_token IS NULL AND d.status = 'waiting'
      RETURNING d.claim_token, d.webhook_id
    ), served AS (
      UPDATE webhook w SET last_claimed_at = statement_timestamp(),
        rate_until = greatest(w.rate_until, statement_timestamp()) + c.n * interval '1 second' / w.rate
      FROM (SELECT webhook_id, count(*) AS n FROM claimed GROUP BY webhook_id) c
      WHERE w.id = c.webhook_id
    )
    SELECT claim_token AS token, webhook_id AS "webhookId", count(*)::int AS deliveries
    FROM claimed GROUP BY claim_token, webhook_id`;
}
