import type { Clock } from "../../runtime/clock.ts";
import { arrayLiteral } from "../postgres/array-literal.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";

/** A notification that was just written: the body is the text that is signed and sent. */
export type WrittenNotification = { id: string; body: string };

const pollMs = 250;

/**
 * A notification is made before its transaction of the database is committed: so far back is looked
 * again. It also bridges clocks that differ by less.
 */
const lookBackMs = 15_000;

/**
 * Every notification of a business that is committed after the first look, once each, in the order
 * of their making within a look. Reads only: nothing is registered, so nothing is left behind
 * however this ends. Ends when the signal is aborted.
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
