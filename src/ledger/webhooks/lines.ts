import type { Lines } from "../../domain/webhook/registration.ts";
import { Prisma } from "../generated/client.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import type { Database } from "../postgres/database.ts";
import { readRows, type Statements } from "../postgres/statements.ts";

// At a webhook with an order, a line holds the waiting deliveries of one wallet in the ledger's
// order (docs/decisions/0107-order-of-a-wallet.md). Database triggers keep the oldest delivery of a
// line at its front, unless another is claimed, and all others behind. The statements here only add
// and remove deliveries.

/**
 * The owner of the line of a delivery `d`. For an additional webhook it is the webhook. For a first
 * webhook it is the business, so that the lines outlast a replacement.
 */
const ownerOf = Prisma.sql`(CASE WHEN d.is_additional THEN d.webhook_id ELSE d.business_id END)`;

/** A part of UPDATE SET: a delivery `d` leaves its line if `ends` holds. */
export const leavesLineWhere = (ends: Prisma.Sql): Prisma.Sql => Prisma.sql`
  wallet_id = CASE WHEN ${ends} THEN NULL ELSE d.wallet_id END,
  is_behind = CASE WHEN ${ends} THEN false ELSE d.is_behind END`;

/**
 * The place of a delivery `d` in its line: the place of its notification in the ledger. A delivery
 * that was asked for by hand has a later number of its own. A notification of a release before
 * 0.3.0 has the place of its first delivery.
 */
export const placeInLine = Prisma.sql`(
  SELECT coalesce(n.seq, (SELECT min(o.seq) FROM delivery o WHERE o.notification_id = n.id))
  FROM notification n WHERE n.id = d.notification_id)`;

/**
 * True for a webhook `w` with an order while a later batch may bring older deliveries into any
 * line. So nothing is sent until all batches are done, of a recovery or of a changed order.
 */
export const awaitsLines = Prisma.sql`(w.is_ordered AND (w.arranges_lines OR EXISTS (
  SELECT FROM recovery r WHERE r.webhook_id = w.id AND r.ended_at IS NULL)))`;

/**
 * Counts the wallets that wait for a notification, at one webhook or at all. Reads only the fronts
 * of lines.
 */
export async function readLines(db: Database, owner?: LineOwner): Promise<Lines> {
  const isIts = owner === undefined ? Prisma.empty : Prisma.sql`AND ${isOf(owner)}`;
  const [lines] = await readRows<Lines>(
    db,
    Prisma.sql`
    SELECT count(*)::int AS waiting, (count(*) FILTER (WHERE status = 'exhausted'))::int AS held,
      min(created_at) AS "oldestWaitingAt"
    FROM delivery d WHERE d.wallet_id IS NOT NULL AND NOT d.is_behind ${isIts}`,
  );
  return lines ?? { waiting: 0, held: 0, oldestWaitingAt: null };
}

/** A current webhook, with the fields that its lines need. */
export type LineOwner = { id: string; businessId: string; isAdditional: boolean };

/** The deliveries that stand behind others in a webhook's lines. */
export const behindIn = (owner: LineOwner): Prisma.Sql =>
  Prisma.sql`(SELECT * FROM delivery d WHERE d.is_behind AND ${isOf(owner)})`;

/**
 * The deliveries in a webhook's lines, including given-up ones that hold a line. Lock them as
 * described at `waitingDeliveries`.
 */
export const inLinesOf = (owner: LineOwner): Prisma.Sql => Prisma.sql`(
  SELECT * FROM ${behindIn(owner)} d
  UNION ALL SELECT * FROM delivery d WHERE d.wallet_id IS NOT NULL AND NOT d.is_behind AND ${isOf(owner)})`;

function isOf({ id, businessId, isAdditional }: LineOwner): Prisma.Sql {
  return Prisma.sql`${ownerOf} = ${isAdditional ? id : businessId}::uuid`;
}

/** One transaction lets this many deliveries join or leave lines. Their business waits for it. */
const arrangedAtOnce = 500;

/** `readUnarranged` finds this many deliveries of a kind. */
const foundAtOnce = 20_000;

/**
 * The deliveries that join lines of an ordered webhook or block them, in portions for `joinLines`
 * and `leaveLines`. Without portions, each batch would read again all that earlier ones left in
 * place. Finds at most 20,000 of each kind.
 */
export async function readUnarranged(tx: Statements, owner: LineOwner): Promise<string[][]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    (SELECT id FROM ${joiningOf(owner, null, foundAtOnce)} x)
    UNION ALL
    (SELECT id FROM ${inLinesOf(owner)} d WHERE d.status = 'exhausted' LIMIT ${foundAtOnce})`;
  const portions: string[][] = [];
  for (let from = 0; from < rows.length; from += arrangedAtOnce)
    portions.push(rows.slice(from, from + arrangedAtOnce).map(({ id }) => id));
  return portions;
}

/**
 * The waiting deliveries of a webhook that belong into lines and stand in none, with their wallets.
 * A delivery that was asked for by hand stays outside. `among`: only these; null: all.
 */
function joiningOf(
  { id, businessId, isAdditional }: LineOwner,
  among: readonly string[] | null,
  limit: number,
): Prisma.Sql {
  const webhooks = isAdditional
    ? Prisma.sql`SELECT ${id}::uuid`
    : Prisma.sql`SELECT id FROM webhook WHERE business_id = ${businessId}::uuid AND NOT is_additional`;
  // A delivery behind another one stands in a line already.
  const looked =
    among === null
      ? Prisma.sql`(
          SELECT delivery_id AS id FROM due_delivery WHERE webhook_id IN (${webhooks})
          UNION ALL SELECT id FROM delivery WHERE claim_token IS NOT NULL AND webhook_id IN (${webhooks}))`
      : Prisma.sql`unnest(${arrayLiteral(among)}::uuid[])`;
  return Prisma.sql`(
    SELECT d.id, coalesce(t.wallet_id, n.wallet_id) AS wallet_id FROM ${looked} looked(id)
      JOIN delivery d ON d.id = looked.id
      JOIN notification n ON n.id = d.notification_id LEFT JOIN transaction t ON t.id = n.transaction_id
    WHERE d.status = 'waiting' AND d.wallet_id IS NULL AND d.max_attempts IS NULL AND d.webhook_id IN (${webhooks})
      AND coalesce(t.wallet_id, n.wallet_id) IS NOT NULL
    LIMIT ${limit})`;
}

/**
 * Puts some waiting deliveries of a webhook in lines. Claimed ones are still sent. Then each wallet
 * has one at a time. The caller has locked the business.
 * @param among a portion of `readUnarranged`; null: all that wait are looked through
 * @returns true if more may be left
 */
export async function joinLines(
  tx: Statements,
  owner: LineOwner,
  among: readonly string[] | null,
): Promise<boolean> {
  const found = await tx.$queryRaw<unknown[]>`
    WITH joining AS MATERIALIZED (
      SELECT id, wallet_id FROM ${joiningOf(owner, among, arrangedAtOnce)} x
    ), waiting AS (
      SELECT d.id, joining.wallet_id FROM joining JOIN delivery d ON d.id = joining.id
      WHERE d.status = 'waiting' ORDER BY d.id FOR NO KEY UPDATE OF d
    ), joined AS (
      UPDATE delivery d SET wallet_id = waiting.wallet_id, is_behind = d.claim_token IS NULL, seq = ${placeInLine}
      FROM waiting WHERE d.id = waiting.id
    )
    SELECT FROM joining`;
  return found.length === arrangedAtOnce;
}

/**
 * Takes some deliveries out of a webhook's lines. Waiting ones are then due as without an order.
 * `exhausted`: only given-up ones, which hold their lines. The caller has locked the business.
 *
 * A record of an attempt may give up a claimed delivery at this moment, and hold its line as
 * before. So claimed deliveries are looked at under their locks.
 * @param among a portion of `readUnarranged`; null: all lines are looked through
 * @returns true if more may be left
 */
export async function leaveLines(
  tx: Statements,
  owner: LineOwner,
  which: "all" | "exhausted",
  among: readonly string[] | null,
): Promise<boolean> {
  const looked =
    among === null
      ? inLinesOf(owner)
      : Prisma.sql`(SELECT * FROM delivery d WHERE d.id = ANY(${arrayLiteral(among)}::uuid[])
          AND d.wallet_id IS NOT NULL AND ${isOf(owner)})`;
  const found = await tx.$queryRaw<unknown[]>`
    WITH found AS MATERIALIZED (
      SELECT id FROM ${looked} d WHERE ${which} = 'all' OR d.status = 'exhausted' LIMIT ${arrangedAtOnce}
    ), claimed AS MATERIALIZED (
      SELECT id FROM delivery d WHERE d.claim_token IS NOT NULL AND d.wallet_id IS NOT NULL AND ${isOf(owner)}
    ), held AS MATERIALIZED (
      SELECT d.id, d.status FROM (SELECT id FROM found UNION SELECT id FROM claimed) f JOIN delivery d ON d.id = f.id
      ORDER BY d.id FOR NO KEY UPDATE OF d
    ), gone AS (
      UPDATE delivery d SET wallet_id = NULL, is_behind = false FROM held
      WHERE d.id = held.id AND (${which} = 'all' OR held.status = 'exhausted')
    )
    SELECT FROM found`;
  return found.length === arrangedAtOnce;
}
