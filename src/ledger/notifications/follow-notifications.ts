import type { Clock } from "../../runtime/clock.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";

/** A notification that was just written. `body` is the exact text that is signed and sent. */
export type WrittenNotification = { id: string; body: string };

const pollMs = 250;

/**
 * Each look goes this far back, in ms, since a notification is created before it is committed. This
 * also covers a difference between two clocks.
 */
const lookBackMs = 15_000;

/**
 * Yields each notification of a business that is committed after the first look, once. Those of one
 * look are in the order of their creation. Ends when the signal is aborted. It only reads, so it
 * leaves nothing behind, however it ends.
 * @throws Fault `database_unavailable`
 */
export async function* followNotifications(
  db: Database,
  businessId: string,
  options: { clock: Clock; signal: AbortSignal },
): AsyncGenerator<WrittenNotification> {
  const { clock, signal } = options;
  let lookedAtMs = clock.now();
  let known = new Set(await idsSince(db, businessId, lookedAtMs - lookBackMs));
  while (!signal.aborted) {
    await clock.sleep(pollMs, signal);
    const fromMs = lookedAtMs - lookBackMs;
    lookedAtMs = clock.now();
    const ids = await idsSince(db, businessId, fromMs);
    yield* await readBodies(
      db,
      ids.filter((id) => !known.has(id)),
    );
    known = new Set(ids);
  }
}

async function idsSince(db: Database, businessId: string, fromMs: number): Promise<string[]> {
  const rows = await statementsOf(db).$queryRaw<{ id: string }[]>`
    SELECT id FROM notification
    WHERE business_id = ${businessId}::uuid AND created_at >= ${new Date(fromMs)} ORDER BY created_at, id`;
  return rows.map(({ id }) => id);
}

async function readBodies(db: Database, ids: readonly string[]): Promise<WrittenNotification[]> {
  if (ids.length === 0) return [];
  return statementsOf(db).$queryRaw<WrittenNotification[]>`
    SELECT id, body FROM notification WHERE id = ANY(${arrayLiteral(ids)}::uuid[]) ORDER BY created_at, id`;
}
