import {
  type DueWebhook,
  hangingInFlightMs,
  type InFlight,
  placesTaken,
  slowInFlightMs,
} from "../../domain/delivery/share.ts";
import { groupedBy } from "../../domain/grouped-by.ts";
import { Prisma } from "../generated/client.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import { preparedByIndex } from "../postgres/statement.ts";
import type { Statements, TxStatements } from "../postgres/statements.ts";
import { awaitsLines } from "../webhooks/lines.ts";
import {
  type ClaimMemory,
  claimedDeliveries,
  firstInTurn,
  forget,
  isStale,
  type KnownPlaces,
  noteLooked,
  notePlaces,
  type Progress,
} from "./claim-memory.ts";

// It uses statement_timestamp(), because the transaction may have waited for the lock of claims.
// Each read begins at the newest row version, or where the last claim saw a live row. So it skips
// dead versions that an old snapshot keeps (decision 92).

/** The time since a moment, in ms; null: it never was. */
const agoMs = (at: Prisma.Sql) =>
  Prisma.sql`(extract(epoch FROM statement_timestamp() - ${at}) * 1000)::float8`;

const wasBegunAgo = (ms: number) =>
  Prisma.sql`begun_at <= statement_timestamp() - ${ms} * interval '1 ms'`;

/** The time now in whole ms, the unit of a retry's `place`. */
const nowMs = Prisma.sql`floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint`;

/** The claim's number with the state of due_delivery, and what each webhook has in flight. */
export type Flight = {
  progress: Progress;
  inFlight: InFlight[];
  /** The webhooks with claims that are not begun. */
  queued: ReadonlySet<string>;
  /** The number of places that each business in flight has taken. */
  taken: ReadonlyMap<string, number>;
  /** The businesses whose places are all taken. */
  full: string[];
};

type FlightRow = Progress & {
  inFlight: (InFlight & { isQueued: boolean; tokens: string[]; limit: number | null })[];
};

/**
 * Reads what each webhook has in flight, and gives this claim its number. The caller holds the lock
 * of claims, or sends this together with it.
 * @param most the deliveries of a business in flight, if it has no number of its own
 */
export async function readFlight(
  tx: TxStatements,
  memory: ClaimMemory,
  most: number,
): Promise<Flight> {
  const first = await askFlight(tx.$lockRaw, memory);
  const mustForget = isStale(memory, first);
  if (mustForget) forget(memory);
  const { inFlight, ...progress } = mustForget ? await askFlight(tx.$queryRaw, memory) : first;
  memory.sinceMs ??= progress.nowMs;
  memory.order = progress.order;
  memory.tokens = inFlight.flatMap(({ tokens }) => tokens);
  const queued = inFlight.filter(({ isQueued }) => isQueued).map(({ webhookId }) => webhookId);
  const taken = placesTaken(inFlight);
  const full = inFlight
    .filter(({ businessId, limit }) => (taken.get(businessId) ?? 0) >= (limit ?? most))
    .map(({ businessId }) => businessId);
  return { progress, inFlight, queued: new Set(queued), taken, full };
}

/**
 * Writers are read after the position. So whoever has a position is among the writers, or has
 * ended.
 */
async function askFlight(
  queryRaw: Statements["$queryRaw"],
  memory: ClaimMemory,
): Promise<FlightRow> {
  const [row] = await queryRaw<FlightRow[]>`
    ${preparedByIndex} SELECT nextval('claim_order') AS "order", ${nowMs}::float8 AS "nowMs", s.position,
      ARRAY(
        SELECT l.virtualtransaction FROM pg_locks l
        WHERE l.relation = 'due_delivery'::regclass AND l.mode = 'RowExclusiveLock' AND s.position >= 0
          AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND l.pid IS DISTINCT FROM pg_backend_pid()
      ) AS writers,
      (SELECT coalesce(jsonb_agg(f), '[]') FROM (
        SELECT c.*, w.is_timing_out AS "wasSlow", ${agoMs(Prisma.sql`w.answered_at`)} AS "answeredAgoMs",
          coalesce(w.consecutive_failures, 0) AS "consecutiveFailures",
          (SELECT in_flight FROM business WHERE id = c."businessId") AS "limit"
        FROM (
          SELECT business_id AS "businessId", webhook_id AS "webhookId", (count(*) FILTER (WHERE ${isHeld}))::int AS count,
            (count(*) FILTER (WHERE ${isHeld} AND ${wasBegunAgo(slowInFlightMs)}))::int AS slow,
            (count(*) FILTER (WHERE ${isHeld} AND ${wasBegunAgo(hangingInFlightMs)}))::int AS hanging,
            bool_or(${isHeld} AND begun_at IS NULL) AS "isQueued", array_agg(DISTINCT claim_token) AS tokens
          FROM ${claimedDeliveries(memory)} c GROUP BY business_id, webhook_id
        ) c LEFT JOIN LATERAL (
          SELECT is_timing_out, answered_at, consecutive_failures FROM webhook
          WHERE business_id = c."businessId" AND id = c."webhookId" AND deleted_at IS NULL
          ORDER BY business_id, id, mark DESC LIMIT 1
        ) w ON true
      ) f) AS "inFlight"
    FROM (SELECT coalesce(pg_sequence_last_value('due_delivery_position_seq'), 0) AS position) s`;
  if (row === undefined) throw new Error("A sequence has one row.");
  return row;
}

const isHeld = Prisma.sql`claim_expires_at > statement_timestamp()`;

type Kind = "firsts" | "retries";

/**
 * Condition on rows `q` of a kind at webhook `s`: they were live at the last claim, or are newer.
 */
const rowsOf = (kind: Kind) =>
  kind === "firsts"
    ? Prisma.sql`q.webhook_id = s.webhook_id AND NOT q.is_retry AND q.place >= s.firsts`
    : Prisma.sql`q.webhook_id = s.webhook_id AND q.is_retry AND q.place >= s.retries`;

/** The same rows, if they are due. */
export const dueOf = (kind: Kind) =>
  kind === "firsts"
    ? Prisma.sql`${rowsOf(kind)} AND q.due_at <= statement_timestamp()`
    : Prisma.sql`${rowsOf(kind)} AND q.place <= ${nowMs}`;

const lowestOf = (kind: Kind) => Prisma.sql`
  (SELECT q.place FROM due_delivery q WHERE ${rowsOf(kind)} ORDER BY q.webhook_id, q.is_retry, q.place LIMIT 1)`;

/**
 * The number of due deliveries of a kind at webhook `s`. It counts no further than its business has
 * free places, for one claim never takes more.
 */
const countDue = (kind: Kind) => Prisma.sql`
  (SELECT count(*)::int FROM (SELECT FROM due_delivery q WHERE ${dueOf(kind)} LIMIT CASE WHEN s.is_open THEN greatest(s."limit" - s.places, 0) ELSE 0 END) due)`;

/**
 * The lowest places of every webhook. A loose index scan steps from one webhook and kind to the
 * next. So its cost grows with the webhooks and not with the deliveries.
 */
const everything = Prisma.sql`
  SELECT webhook_id, business_id, CASE WHEN is_retry THEN NULL ELSE place END AS firsts,
    CASE WHEN is_retry THEN place END AS retries, false AS asked
  FROM step`;

const steps = Prisma.sql`
  (SELECT webhook_id, business_id, is_retry, place FROM due_delivery WHERE webhook_id IS NOT NULL
   ORDER BY webhook_id, is_retry, place LIMIT 1)
  UNION ALL
  SELECT next.* FROM step CROSS JOIN LATERAL (
    SELECT webhook_id, business_id, is_retry, place FROM due_delivery d
    WHERE (d.webhook_id, d.is_retry) > (step.webhook_id, step.is_retry)
    ORDER BY webhook_id, is_retry, place LIMIT 1) next`;

/** The lowest places of rows since a position. */
const newSince = (position: bigint) => Prisma.sql`
  SELECT webhook_id, business_id, min(place) FILTER (WHERE NOT is_retry) AS firsts,
    min(place) FILTER (WHERE is_retry) AS retries, false AS asked
  FROM due_delivery WHERE position >= ${position} AND webhook_id IS NOT NULL GROUP BY webhook_id, business_id`;

/**
 * A current webhook of a business that was looked at. Or a webhook with new rows whose turn has not
 * come: only its places are read.
 */
type FoundWebhook = KnownPlaces & { webhookId: string; asked: boolean; number: bigint } & (
    | ({ isLooked: true; isActive: boolean; isOpen: boolean } & Omit<DueWebhook, "beside">)
    | { isLooked: false }
  );

/** Some webhooks with something due, and the businesses that were read for them. */
type DuePage = {
  webhooks: DueWebhook[];
  businessIds: string[];
  /** False: no other business has anything due. */
  mayHaveMore: boolean;
};

/**
 * Reads the webhooks with something due of at most `most` businesses. Businesses whose last claim
 * is longest ago come first. Left out are the businesses in `passed`. Candidates are the webhooks
 * in `memory` and those with rows since the last complete claim.
 *
 * It asks only for the businesses that come first by the turns in `memory`. A claim raises a turn,
 * so those whose turn is still the same do come first (decision 171). So its cost does not grow
 * with the number of businesses that have something due. A turn that has risen is noted for the
 * next page.
 */
export async function readDueWebhooks(
  tx: Statements,
  asked: {
    memory: ClaimMemory;
    progress: Progress;
    inFlight: number;
    taken: Flight["taken"];
    passed: ReadonlySet<string>;
    most: number;
  },
): Promise<DuePage> {
  const { memory, progress, inFlight, taken, passed, most } = asked;
  const { nowMs } = progress;
  const { webhooks: known, last } = firstInTurn(memory, { nowMs, passed, most });
  const { position } = memory;
  // A full join is hashed, whatever the planner expects. A loop over 8,000 due webhooks took 5 s.
  const rows = await tx.$queryRaw<FoundWebhook[]>`
    ${preparedByIndex} WITH RECURSIVE step AS (${position === null ? steps : noSteps}), seen AS MATERIALIZED (
      SELECT webhook_id, business_id, min(firsts) AS firsts, min(retries) AS retries,
        bool_or(asked) AS asked
      FROM (
        SELECT *, true AS asked FROM unnest(
          ${arrayLiteral(known.map(([id]) => id))}::uuid[],
          ${arrayLiteral(known.map(([, one]) => one.businessId))}::uuid[],
          ${arrayLiteral(known.map(([, one]) => one.firsts))}::bigint[],
          ${arrayLiteral(known.map(([, one]) => one.retries))}::bigint[]
        ) AS known(webhook_id, business_id, firsts, retries)
        UNION ALL ${position === null ? everything : newSince(position)}
      ) x GROUP BY webhook_id, business_id
    ), ranked AS MATERIALIZED (
      SELECT b.business_id, coalesce(t.number, 0) AS number
      FROM (SELECT DISTINCT business_id FROM seen) b LEFT JOIN LATERAL (
        SELECT number FROM webhook_turn WHERE business_id = b.business_id ORDER BY business_id, number DESC LIMIT 1
      ) t ON true
    ), turn AS MATERIALIZED (
      SELECT business_id, number FROM ranked
      WHERE NOT business_id = ANY(${arrayLiteral([...passed])}::uuid[])
        AND (number, business_id) <= (
          coalesce(${last?.number ?? null}::bigint, number), coalesce(${last?.businessId ?? null}::uuid, business_id))
      ORDER BY number, business_id LIMIT ${most}
    ), owner AS MATERIALIZED (
      SELECT b.id, turn.number, b.rate, coalesce(b.in_flight, ${inFlight}::int) AS "limit",
        coalesce(h.places, 0) AS places, b.suspended_at IS NULL AS is_served, t.claimed_at, t.business_rate_until
      FROM turn JOIN business b ON b.id = turn.business_id
      LEFT JOIN unnest(${arrayLiteral([...taken.keys()])}::uuid[], ${arrayLiteral([...taken.values()])}::int[])
        AS h(business_id, places) ON h.business_id = b.id
      LEFT JOIN LATERAL (
        SELECT claimed_at, business_rate_until FROM webhook_turn WHERE business_id = b.id
        ORDER BY business_id, number DESC LIMIT 1
      ) t ON true
    ), current AS (
      SELECT w.* FROM turn b CROSS JOIN LATERAL (${lastWebhook(Prisma.sql`w.business_id = b.business_id`)}) w
      UNION ALL
      SELECT w.* FROM current c CROSS JOIN LATERAL (
        ${lastWebhook(Prisma.sql`w.business_id = c.business_id AND w.id < c.id`)}) w
    ), place AS MATERIALIZED (
      SELECT s.webhook_id, s.business_id, s.asked, ${lowestOf("firsts")} AS firsts, ${lowestOf("retries")} AS retries
      FROM seen s WHERE business_id IN (SELECT business_id FROM turn)
    ), s AS MATERIALIZED (
      SELECT coalesce(p.webhook_id, w.id) AS webhook_id, coalesce(p.asked, false) AS asked, p.firsts, p.retries,
        coalesce(w.is_active, false) AS is_active,
        p.webhook_id IS NOT NULL AND w.id IS NOT NULL AND w.is_ready AND o.is_served AS is_open,
        w.is_timing_out, w.answered_at, w.consecutive_failures, w.circuit_retry_at, w.rate,
        o.id AS business_id, o.number, o.rate AS business_rate, o."limit", o.places, o.claimed_at, o.business_rate_until
      FROM place p FULL JOIN current w ON w.id = p.webhook_id
        JOIN owner o ON o.id = coalesce(p.business_id, w.business_id)
    )
    SELECT s.webhook_id AS "webhookId", s.business_id AS "businessId", s.asked, s.firsts, s.retries, s.number, true AS "isLooked",
      s.is_active AS "isActive", s.is_open AS "isOpen", s."limit", s.is_timing_out AS "wasSlow",
      ${agoMs(Prisma.sql`s.answered_at`)} AS "answeredAgoMs", s.consecutive_failures AS "consecutiveFailures",
      -${agoMs(Prisma.sql`s.circuit_retry_at`)} AS "circuitOpenForMs", s.rate, s.business_rate AS "businessRate",
      ${agoMs(Prisma.sql`t.claimed_at`)} AS "claimedAgoMs", -${agoMs(Prisma.sql`t.rate_until`)} AS "rateAheadMs",
      ${agoMs(Prisma.sql`s.claimed_at`)} AS "businessClaimedAgoMs",
      -${agoMs(Prisma.sql`s.business_rate_until`)} AS "businessRateAheadMs",
      ${countDue("firsts")} AS "dueFirsts", ${countDue("retries")} AS "dueRetries"
    FROM s LEFT JOIN LATERAL (
      SELECT claimed_at, rate_until FROM webhook_turn WHERE webhook_id = s.webhook_id ORDER BY number DESC LIMIT 1
    ) t ON s.is_open
    UNION ALL
    SELECT webhook_id, business_id, false, firsts, retries, number, false, ${nothingLooked}
    FROM seen JOIN ranked USING (business_id) WHERE NOT business_id IN (SELECT business_id FROM turn)`;
  for (const row of rows) {
    notePlaces(memory, row.webhookId, row, row.asked);
    memory.turns.set(row.businessId, row.number);
  }
  noteLooked(memory, progress);
  const looked = rows.filter((row) => row.isLooked);
  const active = groupedBy(
    looked.filter(({ isActive }) => isActive),
    ({ businessId }) => businessId,
  );
  const webhooks = looked
    .filter(({ isOpen, dueFirsts, dueRetries }) => isOpen && dueFirsts + dueRetries > 0)
    .map((row) => ({ ...row, beside: besides(active, row) }));
  const businessIds = [...new Set(looked.map(({ businessId }) => businessId))];
  return { webhooks, businessIds, mayHaveMore: last !== null || businessIds.length === most };
}

/** The other rows of a row's business. */
function besides<Row extends { businessId: string }>(
  rows: ReadonlyMap<string, readonly Row[]>,
  row: Row,
): Row[] {
  return (rows.get(row.businessId) ?? []).filter((one) => one !== row);
}

/** The newest row version of the last webhook, by id, that a condition on `w` selects. */
const lastWebhook = (condition: Prisma.Sql) => Prisma.sql`
  SELECT w.id, w.business_id, w.is_active, w.is_active AND NOT ${awaitsLines} AS is_ready, w.is_timing_out,
    w.answered_at, w.consecutive_failures, w.circuit_retry_at, w.rate
  FROM webhook w WHERE ${condition} AND w.deleted_at IS NULL
  ORDER BY w.business_id DESC, w.id DESC, w.mark DESC LIMIT 1`;

/** Nulls for the columns after `isLooked`. */
const nothingLooked = Prisma.raw(Array.from({ length: 15 }, () => "NULL").join(", "));

const noSteps = Prisma.sql`
  SELECT NULL::uuid AS webhook_id, NULL::uuid AS business_id, NULL::boolean AS is_retry, NULL::bigint AS place WHERE false`;
