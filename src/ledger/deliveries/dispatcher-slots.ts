import { type Database, inTransaction, reaching } from "../postgres/database.ts";

/** Rows of dispatchers that ended without a word are removed after this long. */
const forgottenAfter = "1 hour";

/**
 * Says that a dispatcher is alive and how many deliveries it may have in flight. Said every few seconds: the relay
 * admits nothing for one that falls silent.
 */
export async function reportDispatcher(
  db: Database,
  dispatcher: { id: string; slots: number },
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await tx.$executeRaw`DELETE FROM dispatcher WHERE seen_at < now() - ${forgottenAfter}::interval`;
    await tx.$executeRaw`
      INSERT INTO dispatcher (id, slots, seen_at)
      VALUES (${dispatcher.id}::uuid, ${dispatcher.slots}, now())
      ON CONFLICT (id) DO UPDATE SET slots = excluded.slots, seen_at = excluded.seen_at`;
  });
}

/** Takes its slots away, so that nothing more is admitted for it. Safe to repeat. */
export async function removeDispatcher(db: Database, dispatcher: { id: string }): Promise<void> {
  await reaching(() => db.$executeRaw`DELETE FROM dispatcher WHERE id = ${dispatcher.id}::uuid`);
}
