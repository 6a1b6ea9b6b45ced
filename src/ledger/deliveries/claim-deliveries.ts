import { randomUUID } from "node:crypto";
import type { Claim } from "../../domain/delivery/claim.ts";
import {
  type DueWebhook,
  freePlaces,
  hangingInFlightMs,
  type InFlight,
  type Share,
  share,
  slowInFlightMs,
} from "../../domain/delivery/share.ts";
import { Prisma } from "../generated/client.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import type { Database } from "../postgres/database.ts";
import type { Statements } from "../postgres/statements.ts";
import { inTransactionByIndex } from "../postgres/transaction.ts";

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
  /**
   * In [0, 1); spreads the places that are kept for retries where there is less than one of them.
   */
  random: () => number;
};

/**
 * One relay admits at a time, so that two never fill the same slots: "chainbell claims" in a lock
 * number.
 */
const claimLock = 7_163_384_643_246_253n;

/**
 * Claims due deliveries for the free slots of the live dispatchers, and some ahead of them. SQL
 * reads the facts, `share` decides who gets how much (docs/contract.md#fairness), and SQL claims
 * that. First attempts are claimed in ledger order, retries in the order they fell due. A delivery
 * that another transaction holds is left for the next call. A claim is not yet a job: the caller
 * enqueues it, and gives it back when that fails. Safe to call from any number of processes.
 */
export async function claimDeliveries(
  db: Database,
  limits: ClaimLimits,
): Promise<(Claim & { webhookId: string })[]> {
  return inTransactionByIndex(db, async (tx) => {
    const slots = await lockClaims(tx, limits.dispatcherSilentMs);
    if (slots.length === 0) return [];
    const capacity = { slots, aheadShare: limits.aheadShare, inFlight: await readInFlight(tx) };
    // Most calls of a busy relay end here, after the first of the two reads.
    if (freePlaces(capacity).free <= 0) return [];
    const webhooks = await readDueWebhooks(tx, limits.inFlight);
    const shares = share(capacity, webhooks, limits.random).slice(0, limits.webhookLimit);
    return shares.length === 0 ? [] : claimShares(tx, shares, limits.leaseMs);
  });
}

/**
 * Answers the slots of each live dispatcher, once no other relay claims. The commit does not wait
 * for the disk. If a crash of the server takes a claim away, its delivery is due again. The results
 * of a claim are committed after the claim, and so are never there without it.
 */
async function lockClaims(tx: Statements, dispatcherSilentMs: number): Promise<number[]> {
  const [row] = await tx.$queryRaw<{ slots: number[] }[]>`
    SELECT pg_advisory_xact_lock(${claimLock}), set_config('synchronous_commit', 'off', true),
      ARRAY(SELECT slots FROM dispatcher
        WHERE seen_at > statement_timestamp() - ${dispatcherSilentMs} * interval '1 ms') AS slots`;
  return row?.slots ?? [];
}

// statement_timestamp(), here and below, because the transaction may have waited for the lock.

/** The time since then, in ms; null: never. */
const agoMs = (at: Prisma.Sql) =>
  Prisma.sql`(extract(epoch FROM statement_timestamp() - ${at}) * 1000)::float8`;

const wasBegunAgo = (ms: number) =>
  Prisma.sql`begun_at <= statement_timestamp() - ${ms} * interval '1 ms'`;

async function readInFlight(tx: Statements): Promise<InFlight[]> {
  return tx.$queryRaw<InFlight[]>`
    SELECT f.*, w.is_timing_out AS "wasSlow", ${agoMs(Prisma.sql`w.answered_at`)} AS "answeredAgoMs"
    FROM (
      SELECT business_id AS "businessId", count(*)::int AS count,
        (count(*) FILTER (WHERE ${wasBegunAgo(slowInFlightMs)}))::int AS slow,
        (count(*) FILTER (WHERE ${wasBegunAgo(hangingInFlightMs)}))::int AS hanging
      FROM delivery WHERE claim_token IS NOT NULL AND claim_expires_at > statement_timestamp()
      GROUP BY business_id
    ) f LEFT JOIN webhook w ON w.business_id = f."businessId" AND w.deleted_at IS NULL`;
}

const firsts = Prisma.sql`status = 'waiting' AND attempts = 0`;
const retries = Prisma.sql`status = 'waiting' AND attempts > 0`;
const isDue = Prisma.sql`claim_token IS NULL AND due_at <= statement_timestamp()`;

/**
 * The webhooks of a recursive part `name` of a statement, for which such a delivery waits. A loose
 * index scan: it steps from one webhook to the next, so its cost grows with those webhooks and not
 * with the deliveries.
 */
const webhooksWith = (name: Prisma.Sql, kind: Prisma.Sql) => Prisma.sql`
  (SELECT webhook_id FROM delivery WHERE ${kind} AND webhook_id IS NOT NULL ORDER BY webhook_id LIMIT 1)
  UNION ALL
  SELECT (SELECT d.webhook_id FROM delivery d WHERE ${kind} AND d.webhook_id > ${name}.webhook_id
          ORDER BY d.webhook_id LIMIT 1)
  FROM ${name} WHERE ${name}.webhook_id IS NOT NULL`;

/**
 * The number of these that are due at webhook `w`, counted up to its business's number in flight.
 * More than that is never claimed at once.
 */
const countDue = (kind: Prisma.Sql, inFlight: number) => Prisma.sql`
  (SELECT count(*)::int FROM (
    SELECT FROM delivery WHERE webhook_id = w.id AND ${kind} AND ${isDue}
    LIMIT coalesce(b.in_flight, ${inFlight}::int)) due)`;

async function readDueWebhooks(tx: Statements, inFlight: number): Promise<DueWebhook[]> {
  const [first, retry] = [Prisma.sql`first`, Prisma.sql`retry`];
  return tx.$queryRaw<DueWebhook[]>`
    WITH RECURSIVE first AS (${webhooksWith(first, firsts)}), retry AS (${webhooksWith(retry, retries)}), due AS MATERIALIZED (
      SELECT w.id AS "webhookId", w.business_id AS "businessId",
        coalesce(b.in_flight, ${inFlight}::int) AS "limit",
        w.is_timing_out AS "wasSlow", ${agoMs(Prisma.sql`w.answered_at`)} AS "answeredAgoMs",
        w.consecutive_failures AS "consecutiveFailures",
        -${agoMs(Prisma.sql`w.circuit_retry_at`)} AS "circuitOpenForMs",
        w.rate, -${agoMs(Prisma.sql`w.rate_until`)} AS "rateAheadMs",
        ${agoMs(Prisma.sql`w.last_claimed_at`)} AS "claimedAgoMs",
        ${countDue(firsts, inFlight)} AS "dueFirsts", ${countDue(retries, inFlight)} AS "dueRetries"
      FROM webhook w JOIN business b ON b.id = w.business_id
      WHERE w.id IN (SELECT webhook_id FROM first UNION SELECT webhook_id FROM retry)
        AND w.is_active AND w.deleted_at IS NULL AND b.suspended_at IS NULL
    )
    SELECT * FROM due WHERE "dueFirsts" + "dueRetries" > 0`;
}

/** The first that are due of webhook `s`, locked; what another transaction holds is passed over. */
const takeDue = (kind: Prisma.Sql, order: Prisma.Sql, count: Prisma.Sql) => Prisma.sql`
  SELECT id FROM delivery WHERE webhook_id = s.webhook_id AND ${kind} AND ${isDue}
  ORDER BY ${order} LIMIT ${count} FOR NO KEY UPDATE SKIP LOCKED`;

// Not FOR UPDATE on the webhooks. The commit of a block holds FOR KEY SHARE on them for its foreign
// key. The relay would skip such a webhook.
async function claimShares(
  tx: Statements,
  shares: Share[],
  leaseMs: number,
): Promise<(Claim & { webhookId: string })[]> {
  return tx.$queryRaw<(Claim & { webhookId: string })[]>`
    WITH shared AS (
      SELECT s.* FROM unnest(
        ${arrayLiteral(shares.map(() => randomUUID()))}::uuid[],
        ${arrayLiteral(shares.map(({ webhookId }) => webhookId))}::uuid[],
        ${arrayLiteral(shares.map((one) => one.firsts))}::int[],
        ${arrayLiteral(shares.map((one) => one.retries))}::int[]
      ) AS s(token, webhook_id, firsts, retries) JOIN webhook w ON w.id = s.webhook_id
      WHERE w.is_active AND w.deleted_at IS NULL FOR NO KEY UPDATE OF w SKIP LOCKED
    ), taken AS (
      SELECT s.token, d.id FROM shared s CROSS JOIN LATERAL (
        SELECT id FROM (${takeDue(firsts, Prisma.sql`seq`, Prisma.sql`s.firsts`)}) first
        UNION ALL
        SELECT id FROM (${takeDue(retries, Prisma.sql`due_at`, Prisma.sql`s.retries`)}) retry
      ) d
    ), claimed AS (
      UPDATE delivery d SET claim_token = t.token, begun_at = NULL,
        claim_expires_at = statement_timestamp() + ${leaseMs} * interval '1 ms'
      FROM taken t WHERE d.id = t.id
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
