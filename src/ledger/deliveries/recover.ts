import {
  type RecoveredStatus,
  type RecoveryAsked,
  recoveredByDefault,
} from "../../domain/delivery/delivery.ts";
import type { DeliveryRecovery } from "../../domain/delivery/recovery.ts";
import { Fault } from "../../domain/fault.ts";
import { idAt } from "../../domain/id.ts";
import type { WebhookName } from "../../domain/webhook/registration.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { lookByIndex } from "../postgres/look-by-index.ts";
import { wakeRelay } from "../postgres/outbox-channel.ts";
import { readRows } from "../postgres/statements.ts";
import { inTransactionByIndex, type Tx } from "../postgres/transaction.ts";
import { lockCurrentWebhook } from "../webhooks/change-webhook.ts";
import { endQueuedClaim } from "../webhooks/end-queued-claim.ts";
import { readFilter } from "../webhooks/filters.ts";
import { placeInLine } from "../webhooks/lines.ts";
import { holdBusiness } from "../webhooks/lock-business.ts";
import { inTurns } from "../webhooks/take-turns.ts";
import { requireRecovery } from "./read-recoveries.ts";
import {
  type Receiver,
  readLookedEnd,
  readNewest,
  readWanted,
  recoverable,
  writtenIn,
} from "./recoverable.ts";

/**
 * The most deliveries that one transaction queues again. That takes some tenths of a second, and
 * the webhook's claims wait for it. Commits that notify the business do not wait.
 */
const queuedAtOnce = 1_000;

/**
 * Queues a webhook's own notifications again, on a fresh schedule. Their creation lies in [since,
 * until), or after `since`, and not after this call. Their status is held, exhausted or cancelled,
 * or one that `include` names. A `filter` selects among them.
 *
 * A waiting delivery becomes due now, and keeps its count of attempts. Delivered and claimed ones
 * stay. If the webhook asks for an order, deliveries stand in line by the order of the ledger. None
 * is sent before all batches are done.
 *
 * This transaction does the first batch. `recoverSome` does the others, while the recovery is
 * running. Each notification is read once.
 * @throws Fault `webhook_not_found`, `webhook_inactive`; `recovery_running` while another recovery
 *   of the webhook is running
 */
export async function beginRecovery(
  tx: Tx,
  name: WebhookName,
  asked: RecoveryAsked,
): Promise<DeliveryRecovery> {
  const webhookId = await lockCurrentWebhook(tx, name, holdBusiness);
  const webhook = await tx.webhook.findUniqueOrThrow({ where: { id: webhookId } });
  if (!webhook.isActive)
    throw new Fault(
      "webhook_inactive",
      "The webhook is inactive: activate it first, then recover.",
    );
  const running = await tx.recovery.findFirst({ where: { webhookId, endedAt: null } });
  if (running !== null)
    throw new Fault(
      "recovery_running",
      `A recovery of the webhook is running: wait until ${running.id} is done.`,
    );
  const { since, until, include = recoveredByDefault, filter = null } = asked;
  const newest = await readNewest(tx, { receiver: webhook, within: writtenIn(asked) });
  const recovery = await tx.recovery.create({
    data: {
      id: idAt(Date.now()),
      webhookId,
      since,
      until,
      include: [...include],
      filter: filter === null ? null : JSON.stringify(filter),
      through: newest,
      position: beforeThat(since),
      endedAt: newest === null ? new Date() : null,
    },
  });
  if (newest !== null) await workOff(tx, webhook, { ...recovery, through: newest });
  return requireRecovery(tx, { ...name, webhookId, recoveryId: recovery.id });
}

/**
 * Does one batch of a running recovery, the given one or a random one of a random business. Safe to
 * repeat, and for several processes: each batch is done once.
 * @returns how many deliveries it queued again; null: no recovery is running
 */
export async function recoverSome(db: Database, id: string | null = null): Promise<number | null> {
  // Nearly always no recovery is running. Then this is one query without a transaction.
  const next = await pickRecovery(db, id);
  if (next === null) return null;
  return inTransactionByIndex(db, async (tx) => {
    await holdBusiness(tx, next.businessId);
    const [row] = await tx.$queryRaw<(Running & { isOrdered: boolean })[]>`
      SELECT r.id, r.webhook_id AS "webhookId", r.include, r.filter, r.position, r.through,
        w.is_ordered AS "isOrdered"
      FROM ${goingOn} AND r.id = ${next.id}::uuid FOR NO KEY UPDATE`;
    // Between the two statements another process finished it, or the webhook was deleted.
    if (row === undefined) return 0;
    const { webhookId, isOrdered } = row;
    return workOff(tx, { id: webhookId, businessId: next.businessId, isOrdered }, row);
  });
}

/** The running recovery whose turn it is, or the given one; null: none is running. */
export async function pickRecovery(
  db: Database,
  id: string | null = null,
): Promise<{ id: string; businessId: string } | null> {
  const isAsked = id === null ? Prisma.empty : Prisma.sql`AND r.id = ${id}::uuid`;
  const [next = null] = await readRows<{ id: string; businessId: string }>(
    db,
    inTurns(
      Prisma.sql`SELECT r.id, w.business_id AS "businessId", random() AS place FROM ${goingOn} ${isAsked}`,
    ),
  );
  return next;
}

/** The recoveries `r` that are running, and whose webhooks `w` are notified. */
const goingOn = Prisma.sql`recovery r JOIN webhook w ON w.id = r.webhook_id
  WHERE r.ended_at IS NULL AND w.is_active AND w.deleted_at IS NULL`;

type Running = {
  id: string;
  webhookId: string;
  include: string[];
  filter: string | null;
  position: Date;
  through: Date;
};

/** Does the next batch. The caller has locked the business, the webhook and the recovery. */
async function workOff(
  tx: Tx,
  webhook: Receiver & { isOrdered: boolean },
  recovery: Running,
): Promise<number> {
  const { id: webhookId } = webhook;
  const { position, through } = recovery;
  const include = recovery.include as RecoveredStatus[];
  const upTo = (end: Date) => ({
    receiver: { id: webhookId, businessId: webhook.businessId },
    include,
    filter: readFilter(recovery.filter),
    within: Prisma.sql`n.created_at > ${position} AND n.created_at <= ${end}`,
  });
  await lookByIndex(tx);
  // Null if retention has removed all notifications up to the end.
  const lookedEnd = (await readLookedEnd(tx, upTo(through))) ?? through;
  const [full] = await tx.$queryRaw<{ at: Date }[]>`
    SELECT created_at AS at FROM (${recoverable(upTo(lookedEnd), null)}) found
    ORDER BY created_at OFFSET ${queuedAtOnce - 1} LIMIT 1`;
  const end = full?.at ?? lookedEnd;
  const batch = upTo(end);
  const wanted = await readWanted(tx, batch);
  // MATERIALIZED: it is computed once, and not for each joined row. A delivery that was asked for
  // by hand gets the place of its notification's first delivery. A later line is ordered by that
  // place.
  const queued = await tx.$executeRaw`
    WITH found AS MATERIALIZED (${recoverable(batch, wanted)}), undelivered AS (
      SELECT d.id, f.status = 'waiting' AS was_waiting FROM found f JOIN delivery d ON d.id = f.id
      WHERE f.status <> 'waiting' OR d.status = 'waiting' AND d.claim_token IS NULL
      ORDER BY d.id FOR NO KEY UPDATE OF d
    )
    UPDATE delivery d SET status = 'waiting', webhook_id = ${webhookId}::uuid, due_at = now(), ${joinsLine(webhook)},
      attempts = CASE WHEN was_waiting THEN d.attempts ELSE 0 END,
      max_attempts = CASE WHEN was_waiting THEN d.max_attempts END,
      seq = CASE WHEN was_waiting THEN d.seq ELSE ${placeInLine} END,
      ${endQueuedClaim}
    FROM undelivered WHERE d.id = undelivered.id`;
  await tx.$executeRaw`
    UPDATE recovery SET queued = queued + ${queued}::int, position = ${end},
      ended_at = CASE WHEN ${end >= through}::boolean THEN clock_timestamp() END
    WHERE id = ${recovery.id}::uuid`;
  await wakeRelay(tx);
  return queued;
}

/** The millisecond before a time. Creation times are whole milliseconds. */
const beforeThat = (time: Date): Date => new Date(time.getTime() - 1);

/**
 * Sets whether a delivery `d` that is queued again stands in line. In line it keeps its earlier
 * place.
 */
const joinsLine = ({ isOrdered }: { isOrdered: boolean }): Prisma.Sql =>
  isOrdered
    ? Prisma.sql`
        wallet_id = CASE WHEN was_waiting THEN d.wallet_id ELSE coalesce(d.wallet_id, (
          SELECT coalesce(t.wallet_id, n.wallet_id) FROM notification n LEFT JOIN transaction t ON t.id = n.transaction_id
          WHERE n.id = d.notification_id)) END,
        is_behind = CASE WHEN was_waiting THEN d.is_behind ELSE d.is_behind OR d.wallet_id IS NULL AND d.begun_at IS NULL
          AND EXISTS (SELECT FROM notification n WHERE n.id = d.notification_id
            AND num_nonnulls(n.transaction_id, n.wallet_id) > 0) END`
    : Prisma.sql`wallet_id = NULL, is_behind = false`;
