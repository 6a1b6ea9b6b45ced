import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { ask } from "../postgres/shared-statement.ts";
import { statementsOf } from "../postgres/statements.ts";

/** Rows of dispatchers that crashed are removed after this long. */
const forgottenAfter = "1 hour";

const idOf = (reported: Prisma.Sql) => Prisma.sql`SELECT id FROM ${reported}`;

/**
 * Reports that a dispatcher is alive, and its slots: how many deliveries it may have in flight. A
 * dispatcher reports every few seconds. The relay claims nothing for a silent one.
 */
export async function reportDispatcher(
  db: Database,
  dispatcher: { id: string; slots: number },
): Promise<void> {
  const { id, slots } = dispatcher;
  const reported = Prisma.sql`
    INSERT INTO dispatcher (id, slots, seen_at) VALUES (${id}::uuid, ${slots}, now())
    ON CONFLICT (id) DO UPDATE SET slots = excluded.slots, seen_at = excluded.seen_at RETURNING id`;
  const forgotten = Prisma.sql`
    DELETE FROM dispatcher WHERE seen_at < now() - ${forgottenAfter}::interval AND id <> ${id}::uuid RETURNING id`;
  await ask(db, { name: "dispatcher", writes: [reported, forgotten], answer: idOf });
}

/** Removes a dispatcher and its slots, so that nothing more is claimed for it. Safe to repeat. */
export async function removeDispatcher(db: Database, dispatcher: { id: string }): Promise<void> {
  await statementsOf(db).$executeRaw`DELETE FROM dispatcher WHERE id = ${dispatcher.id}::uuid`;
}

/**
 * Reports that a relay is alive for the next `ttlMs` by the database's clock. `claimMs` is its
 * slowest claim since the last report. Safe to repeat. After the first report of any relay, the
 * database knows that relays report.
 */
export const reportRelay = (db: Database, relay: TimedRelay & { claimMs: number }) =>
  report(db, "relay", relay);

/** Reports that a relay has ended. Safe to repeat. */
export const endRelay = (db: Database, { id }: { id: string }) => end(db, "relay", id);

/**
 * Reports that a relay cannot reach the queue, for the next `ttlMs` by the database's clock. Safe
 * to repeat.
 */
export const reportWithoutQueue = (db: Database, relay: TimedRelay) =>
  report(db, "without-queue", relay);

/** Reports that a relay reaches the queue again. Safe to repeat. */
export const endWithoutQueue = (db: Database, { id }: { id: string }) =>
  end(db, "without-queue", id);

type TimedRelay = { id: string; ttlMs: number };

/** A kind of relay report. Its lease is named by this word and the relay's id. */
type Said = "relay" | "without-queue";

async function report(
  db: Database,
  said: Said,
  { id, ttlMs, claimMs = null }: TimedRelay & { claimMs?: number | null },
): Promise<void> {
  const name = `${said}:${id}`;
  const reported = Prisma.sql`
    INSERT INTO lease (name, holder, expires_at, claim_ms)
    VALUES (${name}, ${id}::uuid, now() + ${ttlMs} * interval '1 ms', ${claimMs}::int)
    ON CONFLICT (name) DO UPDATE SET expires_at = excluded.expires_at, claim_ms = excluded.claim_ms RETURNING holder AS id`;
  const forgotten = Prisma.sql`
    DELETE FROM lease WHERE starts_with(name, ${`${said}:`}) AND expires_at < now() - ${forgottenAfter}::interval
      AND name <> ${name} RETURNING name`;
  await ask(db, { name: `lease ${name}`, writes: [reported, forgotten], answer: idOf });
}

async function end(db: Database, said: Said, id: string): Promise<void> {
  // The column rounds to ms, so that now() may still be in the future for the next statement.
  await statementsOf(db)
    .$executeRaw`UPDATE lease SET expires_at = now() - interval '1 ms' WHERE name = ${`${said}:${id}`}`;
}
