import type { Lines } from "../../domain/webhook/registration.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { readRows, type Statements } from "../postgres/statements.ts";
import { waitingDeliveries } from "../postgres/waiting-deliveries.ts";

// A line is what a webhook with order waits to be sent of one wallet, in the order of the ledger
// (docs/decisions/0107-order-of-a-wallet.md). Triggers of the database keep the oldest of each line
// at its front while no other is claimed, and the rest behind. Statements let deliveries join and
// leave.

/**
 * The owner of the line of a delivery `d`: the additional webhook that it goes to. The lines of a
 * first webhook are its business's, and go on when it is replaced.
 */
const ownerOf = Prisma.sql`(CASE WHEN d.is_additional THEN d.webhook_id ELSE d.business_id END)`;

/** Sets of a delivery `d` that ends, where that is so: it stands in no line any more. */
export const leavesLineWhere = (ends: Prisma.Sql): Prisma.Sql => Prisma.sql`
  wallet_id = CASE WHEN ${ends} THEN NULL ELSE d.wallet_id END,
  is_behind = CASE WHEN ${ends} THEN false ELSE d.is_behind END`;

/**
 * The place in its line of a delivery `d`: that of its notification in the ledger. A delivery that
 * somebody asked for is younger. A notification of a release before 0.3.0 has the place of its
 * first delivery.
 */
export const placeInLine = Prisma.sql`(
  SELECT coalesce(n.seq, (SELECT min(o.seq) FROM delivery o WHERE o.notification_id = n.id))
  FROM notification n WHERE n.id = d.notification_id)`;

/**
 * True for a webhook `w` with an order while a recovery of it is running. A later batch may have
 * something older for any of its lines, so it is sent nothing until all of them are done.
 */
export const awaitsRecovery = Prisma.sql`(w.is_ordered AND EXISTS (
  SELECT FROM recovery r WHERE r.webhook_id = w.id AND r.ended_at IS NULL))`;

/**
 * Counts the wallets that wait for a notification, of one webhook or of all. Reads the fronts of
 * lines, and nothing behind them.
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

/** A current webhook, as far as its lines need it. */
export type LineOwner = { id: string; businessId: string; isAdditional: boolean };

/**
 * The deliveries in the lines of a webhook, also the given-up ones that hold them. Lock them as
 * `waitingDeliveries`.
 */
export const inLinesOf = (owner: LineOwner): Prisma.Sql => Prisma.sql`(
  SELECT * FROM delivery d WHERE d.is_behind AND ${isOf(owner)}
  UNION ALL SELECT * FROM delivery d WHERE d.wallet_id IS NOT NULL AND NOT d.is_behind AND ${isOf(owner)})`;

function isOf({ id, businessId, isAdditional }: LineOwner): Prisma.Sql {
  return Prisma.sql`${ownerOf} = ${isAdditional ? id : businessId}::uuid`;
}

/**
 * Lets all that waits for a webhook stand in line: what is claimed is sent, and then one of each
 * wallet at a time. One more delivery that somebody asked for stays outside. The caller holds the
 * business.
 */
export async function joinLines(tx: Statements, owner: LineOwner): Promise<void> {
  const { id, businessId, isAdditional } = owner;
  const webhooks = isAdditional
    ? Prisma.sql`SELECT ${id}::uuid`
    : Prisma.sql`SELECT id FROM webhook WHERE business_id = ${businessId}::uuid AND NOT is_additional`;
  await tx.$executeRaw`
    WITH found AS MATERIALIZED (
      SELECT id FROM ${waitingDeliveries} x WHERE x.webhook_id IN (${webhooks})
    ), waiting AS (
      SELECT d.id, coalesce(t.wallet_id, n.wallet_id) AS wallet_id FROM found JOIN delivery d ON d.id = found.id
        JOIN notification n ON n.id = d.notification_id LEFT JOIN transaction t ON t.id = n.transaction_id
      WHERE d.status = 'waiting' AND d.wallet_id IS NULL AND d.max_attempts IS NULL
      ORDER BY d.id FOR NO KEY UPDATE OF d
    )
    UPDATE delivery d SET wallet_id = waiting.wallet_id, is_behind = d.claim_token IS NULL, seq = ${placeInLine}
    FROM waiting WHERE d.id = waiting.id AND waiting.wallet_id IS NOT NULL`;
}

/**
 * Takes deliveries out of the lines of a webhook: all of them, or those that were given up and hold
 * their wallets. They are then due as without an order. The caller holds the business.
 */
export async function leaveLines(
  tx: Statements,
  owner: LineOwner,
  which: "all" | "exhausted",
): Promise<void> {
  await tx.$executeRaw`
    WITH found AS MATERIALIZED (SELECT id FROM ${inLinesOf(owner)} d), leaving AS (
      SELECT d.id FROM found JOIN delivery d ON d.id = found.id
      WHERE ${which} = 'all' OR d.status = 'exhausted'
      ORDER BY d.id FOR NO KEY UPDATE OF d
    )
    UPDATE delivery d SET wallet_id = NULL, is_behind = false FROM leaving WHERE d.id = leaving.id`;
}
