import { nilId } from "../../domain/id.ts";
import { Prisma } from "../generated/client.ts";
import { claimLock } from "../postgres/claim-lock.ts";
import type { Database } from "../postgres/database.ts";
import { ask } from "../postgres/shared-statement.ts";
import type { Statements } from "../postgres/statements.ts";
import { inTransaction } from "../postgres/transaction.ts";

/**
 * The name of a lease that nobody holds. Its expiry is the latest time that the database's clock
 * has shown.
 */
const seen = "database-clock";

/** A clock that was set back by less, in ms, is ignored: it delays nothing by more than this. */
const leastMs = 20_000;

/**
 * Corrects waiting times after the database's clock was set back. It notes the latest time that the
 * clock has shown. If the clock is now behind that, every row waits too long. So all stored times
 * are moved back by the difference in one transaction. A retry that was scheduled after the step
 * may be due too early by as much.
 *
 * Call it every few seconds. Safe to repeat, and for any number of processes.
 * @returns by how many ms times were moved, normally 0
 * @throws Fault `database_unavailable`
 */
export async function followClock(db: Database): Promise<number> {
  const note = Prisma.sql`
    INSERT INTO lease (name, holder, expires_at) VALUES (${seen}, ${nilId}::uuid, clock_timestamp())
    ON CONFLICT (name) DO UPDATE SET expires_at = EXCLUDED.expires_at WHERE lease.expires_at < EXCLUDED.expires_at
    RETURNING name`;
  const answer = (noted: Prisma.Sql) => Prisma.sql`SELECT name FROM ${noted}`;
  if ((await ask(db, { name: `lease ${seen}`, writes: [note], answer })) !== null) return 0;
  return inTransaction(db, async (tx) => {
    // Reports of dispatchers note the clock in the same statement, in this order.
    await tx.$queryRaw`SELECT FROM dispatcher ORDER BY id FOR NO KEY UPDATE`;
    // Another process that noticed the step too waits here. Then it finds nothing to do.
    await tx.$queryRaw`SELECT FROM lease WHERE name = ${seen} FOR UPDATE`;
    const [row] = await tx.$queryRaw<{ behindMs: number }[]>`
      SELECT (extract(epoch FROM expires_at - clock_timestamp()) * 1000)::float8 AS "behindMs" FROM lease WHERE name = ${seen}`;
    const behindMs = Math.round(row?.behindMs ?? 0);
    if (behindMs < leastMs) return 0;
    await bringForward(tx, behindMs);
    return behindMs;
  });
}

// Rows are locked in the usual order: webhooks, then deliveries, each by id, then turns. Deleted
// webhooks are locked in another order, and none of their times is read. After a step of minutes,
// claims and leases taken since the step are not moved. They end well before the noted time. After
// a smaller step they may end too early by as much.
async function bringForward(tx: Statements, byMs: number): Promise<void> {
  await tx.$executeRaw`
    WITH later AS (
      SELECT id FROM webhook WHERE circuit_retry_at > clock_timestamp() AND deleted_at IS NULL
      ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE webhook w SET circuit_retry_at = circuit_retry_at - ${byMs} * interval '1 ms'
    FROM later WHERE w.id = later.id`;
  await tx.$executeRaw`
    WITH clock AS (
      SELECT clock_timestamp() AS now, clock_timestamp() + ${byMs - leastMs} * interval '1 ms' AS before
    ), found AS MATERIALIZED (
      SELECT delivery_id AS id FROM due_delivery, clock WHERE due_at > clock.now
      UNION ALL SELECT id FROM delivery, clock WHERE is_behind AND due_at > clock.now
      UNION ALL SELECT id FROM delivery, clock WHERE claim_token IS NOT NULL
        AND (status = 'waiting' AND due_at > clock.now OR claim_expires_at > clock.before)
    ), later AS (
      SELECT id FROM delivery WHERE id IN (SELECT id FROM found) ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE delivery d SET
      due_at = CASE WHEN d.due_at > clock.now THEN d.due_at - ${byMs} * interval '1 ms' ELSE d.due_at END,
      claim_expires_at = CASE WHEN d.claim_expires_at > clock.before THEN d.claim_expires_at - ${byMs} * interval '1 ms'
        ELSE d.claim_expires_at END
    FROM later, clock WHERE d.id = later.id`;
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${claimLock})`;
  await tx.$executeRaw`
    UPDATE webhook_turn SET
      rate_until = CASE WHEN rate_until > clock_timestamp() THEN rate_until - ${byMs} * interval '1 ms' ELSE rate_until END,
      business_rate_until = CASE WHEN business_rate_until > clock_timestamp()
        THEN business_rate_until - ${byMs} * interval '1 ms' ELSE business_rate_until END
    WHERE rate_until > clock_timestamp() OR business_rate_until > clock_timestamp()`;
  // The locks of leases come before those of messages: whoever settles alerts holds its lease.
  await tx.$executeRaw`
    WITH later AS (
      SELECT name FROM lease WHERE name = ${seen} OR expires_at > clock_timestamp() + ${byMs - leastMs} * interval '1 ms'
      ORDER BY name FOR NO KEY UPDATE
    )
    UPDATE lease l SET expires_at = CASE WHEN l.name = ${seen} THEN clock_timestamp()
      ELSE expires_at - ${byMs} * interval '1 ms' END
    FROM later WHERE l.name = later.name`;
  await tx.$executeRaw`
    UPDATE dispatcher SET seen_at = seen_at - ${byMs} * interval '1 ms' WHERE seen_at > clock_timestamp()`;
  await tx.$executeRaw`
    UPDATE alert_message SET due_at = due_at - ${byMs} * interval '1 ms' WHERE sent_at IS NULL AND due_at > clock_timestamp()`;
  await tx.$executeRaw`
    UPDATE idempotency_key SET claimed_until = claimed_until - ${byMs} * interval '1 ms'
    WHERE status IS NULL AND claimed_until > clock_timestamp()`;
}
