import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { modelsOf } from "../postgres/models.ts";
import { reaching } from "../postgres/reaching.ts";
import { ask } from "../postgres/shared-statement.ts";
import { statementsOf } from "../postgres/statements.ts";

/** A lease, the process that wants or holds it, and the time it lasts, in ms. */
type TimedLease = { name: string; holder: string; ttlMs: number };

/**
 * Takes or extends a lease. True: this holder has it for the next `ttlMs` by the database's clock.
 * A lease saves other processes the same work. Correctness never depends on it. Safe to repeat.
 */
export async function takeLease(db: Database, lease: TimedLease): Promise<boolean> {
  const { name, holder, ttlMs } = lease;
  const taken = await statementsOf(db).$executeRaw`
    INSERT INTO lease (name, holder, expires_at) VALUES (${name}, ${holder}::uuid, now() + ${ttlMs} * interval '1 ms')
    ON CONFLICT (name) DO UPDATE SET holder = EXCLUDED.holder, expires_at = EXCLUDED.expires_at
    WHERE lease.holder = EXCLUDED.holder OR lease.expires_at < now()`;
  return taken === 1;
}

/**
 * Extends a lease by `ttlMs` from now. True if nobody else took it since this holder did, even if
 * it ran out in between. After false it stays false. Safe to repeat.
 */
export async function keepLease(db: Database, lease: TimedLease): Promise<boolean> {
  const { name, holder, ttlMs } = lease;
  const kept = await statementsOf(db).$executeRaw`
    UPDATE lease SET expires_at = now() + ${ttlMs} * interval '1 ms' WHERE name = ${name} AND holder = ${holder}::uuid`;
  return kept === 1;
}

/**
 * Takes or extends a watcher's lease as `takeLease`, unless another process waits for it: then this
 * holder gives it up. So a verb keeps no daemon that starts from the head of a chain. One query.
 */
export async function borrowLease(db: Database, lease: TimedLease): Promise<boolean> {
  const { name, holder, ttlMs } = lease;
  const borrowed = await statementsOf(db).$executeRaw`
    WITH waiting AS (
      SELECT FROM lease WHERE starts_with(name, ${waitingName({ name, holder: "" })}) AND expires_at > now()
        AND holder <> ${holder}::uuid LIMIT 1
    ), given_up AS (
      DELETE FROM lease WHERE name = ${name} AND holder = ${holder}::uuid AND EXISTS (SELECT FROM waiting)
    )
    INSERT INTO lease (name, holder, expires_at)
    SELECT ${name}, ${holder}::uuid, now() + ${ttlMs} * interval '1 ms' WHERE NOT EXISTS (SELECT FROM waiting)
    ON CONFLICT (name) DO UPDATE SET holder = EXCLUDED.holder, expires_at = EXCLUDED.expires_at
    WHERE lease.holder = EXCLUDED.holder OR lease.expires_at < now()`;
  return borrowed === 1;
}

/**
 * Takes or extends a watcher's lease as `takeLease`, and shares leases with waiting processes. This
 * holder gives the lease away if a waiting process has at least two fewer. So leases spread evenly,
 * and none moves back and forth. Only the first lease by name is given, so several calls at once do
 * not give too many. One query.
 * @returns true if this holder has the lease; false: another holder has it, or was given it
 */
export async function shareLease(db: Database, lease: TimedLease): Promise<boolean> {
  const { name, holder, ttlMs } = lease;
  const shared = Prisma.sql`
    WITH live AS (
      SELECT name, holder FROM lease WHERE expires_at > now() AND NOT starts_with(name, 'waiting:')
    ), mine AS (
      SELECT name FROM live WHERE holder = ${holder}::uuid AND starts_with(name, 'watcher:')
    ), waiting AS (
      SELECT mine.name, w.holder, (
        SELECT count(*) FROM live WHERE live.holder = w.holder AND starts_with(live.name, 'watcher:')
      ) AS has
      FROM mine JOIN lease w ON w.name = 'waiting:' || mine.name || ':' || w.holder AND w.expires_at > now()
      WHERE w.holder <> ${holder}::uuid
    ), first AS (
      SELECT name, holder FROM waiting WHERE has + 2 <= (SELECT count(*) FROM mine)
      ORDER BY name, has, holder LIMIT 1
    )
    INSERT INTO lease (name, holder, expires_at) VALUES (${name}, ${holder}::uuid, now() + ${ttlMs} * interval '1 ms')
    ON CONFLICT (name) DO UPDATE SET
      holder = COALESCE((SELECT first.holder FROM first WHERE first.name = EXCLUDED.name), EXCLUDED.holder),
      expires_at = EXCLUDED.expires_at
    WHERE lease.holder = EXCLUDED.holder OR lease.expires_at < now()
    RETURNING holder`;
  return (await ask(db, { name: `lease ${name}`, writes: [shared], answer: holderIn })) === holder;
}

/** Reports of waiting processes are deleted this long after they ran out. */
const forgottenAfter = "1 hour";

/** Reports for the next `ttlMs` that this process wants the lease. Safe to repeat. */
export async function waitForLease(db: Database, lease: TimedLease): Promise<void> {
  const { name, holder, ttlMs } = lease;
  const own = waitingName({ name, holder });
  const said = Prisma.sql`
    INSERT INTO lease (name, holder, expires_at) VALUES (${own}, ${holder}::uuid, now() + ${ttlMs} * interval '1 ms')
    ON CONFLICT (name) DO UPDATE SET expires_at = EXCLUDED.expires_at RETURNING holder`;
  const forgotten = Prisma.sql`
    DELETE FROM lease WHERE starts_with(name, 'waiting:') AND expires_at < now() - ${forgottenAfter}::interval
      AND name <> ${own} RETURNING name`;
  await ask(db, { name: `lease ${own}`, writes: [said, forgotten], answer: holderIn });
}

const holderIn = (leases: Prisma.Sql) => Prisma.sql`SELECT holder FROM ${leases}`;

function waitingName({ name, holder }: { name: string; holder: string }): string {
  return `waiting:${name}:${holder}`;
}

/** Gives up a lease at once if this holder has it, and stops waiting for it. Safe to repeat. */
export async function releaseLease(
  db: Database,
  lease: { name: string; holder: string },
): Promise<void> {
  const { name, holder } = lease;
  const names = [name, waitingName(lease)];
  await reaching(() => modelsOf(db).lease.deleteMany({ where: { name: { in: names }, holder } }));
}
