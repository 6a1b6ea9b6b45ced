import { randomUUID } from "node:crypto";
import type { Claim, MadeClaim } from "../../domain/delivery/claim.ts";
import {
  type Capacity,
  type DueWebhook,
  freePlaces,
  type Share,
  share,
} from "../../domain/delivery/share.ts";
import { Prisma } from "../generated/client.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import { claimLock } from "../postgres/claim-lock.ts";
import type { Database } from "../postgres/database.ts";
import { preparedByIndex } from "../postgres/statement.ts";
import type { TxStatements } from "../postgres/statements.ts";
import { inTransactionByIndex } from "../postgres/transaction.ts";
import { awaitsLines } from "../webhooks/lines.ts";
import { readBegun } from "./begin-claims.ts";
import { type ClaimMemory, emptyMemory, forget, type Progress, tokenOf } from "./claim-memory.ts";
import { giveBackUnanswered } from "./give-back-claim.ts";
import { dueOf, type Flight, readDueWebhooks, readFlight } from "./read-claims.ts";

export type ClaimLimits = {
  /** The most webhooks that one transaction serves. */
  webhookLimit: number;
  /**
   * The most deliveries of a business in flight at once, if the business has no number of its own.
   */
  inFlight: number;
  leaseMs: number;
  /** A send begins only with this much of its lease left, in ms. */
  leaseLeftMs: number;
  /** Claims begin at once for this many deliveries in total. */
  direct: number;
  /** A dispatcher that was silent for longer, in ms, has no slots. */
  dispatcherSilentMs: number;
  /** Deliveries that are claimed ahead, to wait in the queue, as a share of the slots. */
  aheadShare: number;
  /** In [0, 1). Decides who gets a place kept for retries if a share of it is less than one. */
  random: () => number;
};

/**
 * Claims due deliveries for the free slots of the live dispatchers, and some ahead. SQL reads the
 * facts, `share` decides how much each webhook gets (docs/contract.md#fairness), and SQL claims
 * that. First attempts are claimed in ledger order, retries in the order they fell due. A delivery
 * that another transaction locks waits for the next call.
 *
 * The first claims that fit into `limits.direct` begin in the same transaction, and the caller
 * sends their deliveries. The caller enqueues all other claims, and gives a claim back if that
 * fails. `memory`, from the caller's last call, saves reading rows that were dead then. It also
 * gives back what a call had claimed whose answer was lost. Safe for any number of processes.
 */
export async function claimDeliveries(
  db: Database,
  limits: ClaimLimits,
  memory: ClaimMemory = emptyMemory(),
): Promise<BusinessClaim[]> {
  const made: string[] = [];
  try {
    const claims = await inTransactionByIndex(db, (tx) => claimWithin(tx, limits, memory, made));
    memory.unanswered = [];
    return claims;
  } catch (error) {
    forget(memory, made);
    throw error;
  }
}

/** Adds to `made` the tokens that it may commit. */
async function claimWithin(
  tx: TxStatements,
  limits: ClaimLimits,
  memory: ClaimMemory,
  made: string[],
) {
  const locking = lockClaims(tx, limits);
  if (memory.unanswered.length > 0) {
    await locking;
    await giveBackUnanswered(tx, memory.unanswered);
  }
  const [slots, flight] = await Promise.all([
    locking,
    // Sent with the lock, and read once the lock is held.
    readFlight(tx, memory, limits.inFlight),
  ]);
  if (slots.length === 0) return [];
  const { progress, inFlight, queued } = flight;
  const capacity = { slots, aheadShare: limits.aheadShare, inFlight };
  // With many deliveries in flight most calls end here, after the first of two reads.
  if (freePlaces(capacity).free <= 0) return [];
  const { webhooks, shares } = await shareOut(tx, { limits, memory, flight, capacity });
  if (shares.length === 0) return [];
  const taking = takingOf(shares, { queued, limits, largest: Math.min(...slots), progress });
  made.push(...new Set(taking.map(({ token }) => token)));
  const { order } = progress;
  for (const { businessId } of shares) memory.turns.set(businessId, order);
  return claimAndBegin(tx, { taking, webhooks, order, memory, leaseMs: limits.leaseMs });
}

/**
 * Claims the shares, begins those that are to begin, and commits. A claim of which nothing begins
 * goes to the queue.
 */
async function claimAndBegin(tx: TxStatements, claiming: Claiming): Promise<BusinessClaim[]> {
  const direct = claiming.taking.filter(({ begins }) => begins).map(({ token }) => token);
  const [claims, begun] =
    direct.length === 0
      ? [await claimShares(tx.$lastRaw, claiming), []]
      : await Promise.all([claimShares(tx.$queryRaw, claiming), readBegun(tx.$lastRaw, direct)]);
  return claims.map((claim) => {
    const own = begun.filter(({ token }) => token === claim.token);
    return { ...claim, begun: own.length === 0 ? null : own };
  });
}

/** A share, the token of its claim, and if it begins in the transaction of the claim. */
type Taking = Share & { token: string; begins: boolean };

/**
 * Makes claims of the shares. Those of one business are one claim, and so one job of the queue
 * (decision 169). One dispatcher sends a claim, so it has at most `largest` deliveries. A claim
 * begins at once as a whole, or goes to the queue as a whole.
 *
 * The first shares that together fit into `limits.direct` begin at once. A webhook with older
 * deliveries in the queue is left out: its newer ones must not overtake them.
 */
function takingOf(
  shares: readonly Share[],
  of: {
    queued: ReadonlySet<string>;
    limits: ClaimLimits;
    largest: number;
    progress: Pick<Progress, "order">;
  },
): Taking[] {
  const { queued, limits, largest, progress } = of;
  let left = limits.leaseMs < limits.leaseLeftMs ? 0 : limits.direct;
  const claims = new Map<string, { token: string; places: number }>();
  return shares.map((share) => {
    const places = placesOf(share);
    const begins = !queued.has(share.webhookId) && places <= left;
    if (begins) left -= places;
    const name = `${share.businessId} ${begins}`;
    const open = claims.get(name);
    const claim =
      open !== undefined && open.places + places <= largest
        ? open
        : { token: tokenOf(progress.order, randomUUID()), places: 0 };
    claim.places += places;
    claims.set(name, claim);
    return { ...share, token: claim.token, begins };
  });
}

function placesOf({ firsts, retries }: Share): number {
  return firsts + retries;
}

/** The fewest businesses in the first page, and how fast that number grows. */
const fewestInPage = 8;
const pageGrowth = 4;

/**
 * Shares the places out among all businesses with something due, by `share`. It reads the
 * businesses in their turn, and only as many as are needed to fill the places (decision 147). The
 * first page fills them if each business has enough due. A further page fills what is left if its
 * businesses have as much due as those before.
 */
async function shareOut(
  tx: TxStatements,
  of: { limits: ClaimLimits; memory: ClaimMemory; flight: Flight; capacity: Capacity },
): Promise<{ webhooks: DueWebhook[]; shares: Share[] }> {
  const { limits, memory, capacity } = of;
  const { progress, taken, full } = of.flight;
  const { inFlight, webhookLimit, random } = limits;
  const webhooks: DueWebhook[] = [];
  const passed = new Set(full);
  const notAsked = passed.size;
  const { free } = freePlaces(capacity);
  let most = Math.max(fewestInPage, Math.ceil(free / inFlight));
  for (let fewest = fewestInPage; ; ) {
    const page = await readDueWebhooks(tx, { memory, progress, inFlight, taken, passed, most });
    webhooks.push(...page.webhooks);
    for (const businessId of page.businessIds) passed.add(businessId);
    const shares = share(capacity, webhooks, random).slice(0, webhookLimit);
    const places = shares.reduce((sum, one) => sum + placesOf(one), 0);
    const isFull = places >= free || shares.length === webhookLimit;
    if (isFull || !page.mayHaveMore) return { webhooks, shares };
    fewest *= pageGrowth;
    const asGiven = Math.ceil(((free - places) * (passed.size - notAsked)) / places);
    most = places === 0 ? most * pageGrowth : Math.max(fewest, asGiven);
  }
}

/**
 * Locks out other relays, and answers the slots of each live dispatcher.
 *
 * If no claim can begin at once, the commit does not wait for the disk. A server crash may then
 * lose a claim, and its delivery is due again. The claim's results are committed later, so none of
 * them can survive without the claim. A begin waits for the disk: a crash must not lose its count
 * (docs/invariants.md#i8).
 *
 * Sorting is off, so that ordered rows come from the index of that order. Another index would lead
 * to dead row versions first.
 */
async function lockClaims(
  tx: TxStatements,
  { dispatcherSilentMs, direct }: Pick<ClaimLimits, "dispatcherSilentMs" | "direct">,
): Promise<number[]> {
  const [row] = await tx.$lockRaw<{ slots: number[] }[]>`
    SELECT pg_advisory_xact_lock(${claimLock}), 
      set_config('synchronous_commit', CASE WHEN ${direct} > 0 THEN current_setting('synchronous_commit') ELSE 'off' END, true),
      set_config('enable_sort', 'off', true),
      ARRAY(SELECT slots FROM dispatcher
        WHERE seen_at > statement_timestamp() - ${dispatcherSilentMs} * interval '1 ms') AS slots`;
  return row?.slots ?? [];
}

/**
 * The first due deliveries of webhook `s`, locked. Rows that another transaction locks are skipped.
 */
const takeDue = (kind: "firsts" | "retries", count: Prisma.Sql) => Prisma.sql`
  SELECT d.id FROM due_delivery q JOIN delivery d ON d.id = q.delivery_id
  WHERE ${dueOf(kind)} AND d.status = 'waiting' AND d.claim_token IS NULL AND NOT d.is_behind AND d.webhook_id = s.webhook_id
  ORDER BY q.webhook_id, q.is_retry, q.place LIMIT ${count} FOR NO KEY UPDATE OF d SKIP LOCKED`;

/** A claim with its business's webhooks, in the order of their ids. */
type Claimed = Claim & { webhookIds: string[] };

type BusinessClaim = MadeClaim & Claimed;

type Claiming = {
  /** One write claims and begins a delivery. */
  taking: Taking[];
  /** The webhooks of the shares, and others that were read. */
  webhooks: DueWebhook[];
  order: bigint;
  memory: ClaimMemory;
  leaseMs: number;
};

// The webhooks are not locked FOR UPDATE. A block's commit holds FOR KEY SHARE on them for its
// foreign key. So the relay would skip such a webhook.
async function claimShares(
  queryRaw: TxStatements["$queryRaw"],
  { taking, webhooks, order, memory, leaseMs }: Claiming,
): Promise<Claimed[]> {
  const known = taking.map(({ webhookId }) => memory.webhooks.get(webhookId));
  const rates = new Map(webhooks.map((one) => [one.webhookId, one.businessRate]));
  return queryRaw<Claimed[]>`
    ${preparedByIndex} WITH s AS (
      SELECT s.*, w.rate, s.is_direct AND (SELECT suspended_at IS NULL FROM business WHERE id = s.business_id) AS begins
      FROM unnest(
        ${arrayLiteral(taking.map(({ token }) => token))}::uuid[],
        ${arrayLiteral(taking.map(({ begins }) => String(begins)))}::boolean[],
        ${arrayLiteral(taking.map(({ webhookId }) => webhookId))}::uuid[],
        ${arrayLiteral(taking.map(({ businessId }) => businessId))}::uuid[],
        ${arrayLiteral(taking.map(({ webhookId }) => rates.get(webhookId) ?? null))}::int[],
        ${arrayLiteral(known.map((one) => one?.firsts ?? null))}::bigint[],
        ${arrayLiteral(known.map((one) => one?.retries ?? null))}::bigint[],
        ${arrayLiteral(taking.map((one) => one.firsts))}::int[],
        ${arrayLiteral(taking.map((one) => one.retries))}::int[]
      ) AS s(token, is_direct, webhook_id, business_id, business_rate, firsts, retries, first_count, retry_count) CROSS JOIN LATERAL (
        SELECT rate FROM webhook w WHERE w.business_id = s.business_id AND w.id = s.webhook_id AND w.deleted_at IS NULL
          AND w.is_active AND NOT ${awaitsLines}
        ORDER BY w.business_id, w.id, w.mark DESC LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
      ) w
    ), taken AS (
      SELECT s.token, s.begins, d.id FROM s CROSS JOIN LATERAL (
        SELECT id FROM (${takeDue("firsts", Prisma.sql`s.first_count`)}) first
        UNION ALL
        SELECT id FROM (${takeDue("retries", Prisma.sql`s.retry_count`)}) retry
      ) d
    ), claimed AS (
      UPDATE delivery d SET claim_token = t.token,
        begun_at = CASE WHEN t.begins THEN statement_timestamp() END,
        unrecorded = d.unrecorded + CASE WHEN t.begins THEN 1 ELSE 0 END,
        claim_expires_at = statement_timestamp() + ${leaseMs} * interval '1 ms'
      FROM taken t WHERE d.id = t.id
      RETURNING d.claim_token, d.webhook_id
    ), served AS (
      SELECT claim_token, webhook_id, count(*)::int AS n FROM claimed GROUP BY claim_token, webhook_id
    ), last AS (
      SELECT t.* FROM served CROSS JOIN LATERAL (
        SELECT * FROM webhook_turn WHERE webhook_id = served.webhook_id ORDER BY number DESC LIMIT 1) t
    ), ended AS (
      DELETE FROM webhook_turn t USING last WHERE t.webhook_id = last.webhook_id AND t.number = last.number
    ), spent AS (
      SELECT s.business_id, sum(served.n) * interval '1 second' / s.business_rate AS lasts, (
          SELECT business_rate_until FROM webhook_turn WHERE business_id = s.business_id
          ORDER BY business_id, number DESC LIMIT 1
        ) AS rate_until
      FROM served JOIN s ON s.webhook_id = served.webhook_id WHERE s.business_rate IS NOT NULL
      GROUP BY s.business_id, s.business_rate
    ), turned AS (
      INSERT INTO webhook_turn (webhook_id, business_id, number, claimed_at, rate_until, business_rate_until)
      SELECT served.webhook_id, s.business_id, ${order}, statement_timestamp(),
        greatest(last.rate_until, statement_timestamp()) + served.n * interval '1 second' / s.rate,
        greatest(spent.rate_until, statement_timestamp()) + spent.lasts
      FROM served JOIN s ON s.webhook_id = served.webhook_id LEFT JOIN last ON last.webhook_id = served.webhook_id
        LEFT JOIN spent ON spent.business_id = s.business_id
    )
    SELECT claim_token AS token, sum(n)::int AS deliveries, array_agg(webhook_id ORDER BY webhook_id) AS "webhookIds"
    FROM served GROUP BY claim_token`;
}
