import { Fault } from "../../domain/fault.ts";
import type { Liveness } from "../../domain/liveness.ts";
import { Prisma } from "../generated/client.ts";
import type { Database } from "../postgres/database.ts";
import { ask, type Question } from "../postgres/shared-statement.ts";

/** A live dispatcher reports every 5 s. */
const dispatcherSilentMs = 15_000;

/**
 * Reads which processes are alive, by the database's clock: watchers hold leases, and dispatchers
 * and relays report. A relay also reports while it cannot reach the queue. Reads only.
 */
export async function readLiveness(db: Database): Promise<Liveness> {
  const liveness = (await ask(db, livenessNow)) as Liveness | null;
  if (liveness !== null) return liveness;
  throw new Fault("invariant_broken", "A SELECT without FROM has a row.");
}

const livenessNow: Question = {
  name: "liveness",
  answer: () => Prisma.sql`
    SELECT to_jsonb(now_alive) FROM (
    SELECT (
        SELECT COALESCE(array_agg(substr(name, length('watcher:') + 1)), '{}')
        FROM lease WHERE name LIKE 'watcher:%' AND expires_at > now()
      ) AS watched, (
        SELECT COALESCE(array_agg(c.name ORDER BY c.name), '{}') FROM chain c
        WHERE EXISTS (SELECT 1 FROM wallet w WHERE w.chain_name = c.name AND w.removed_at IS NULL)
      ) AS "withWallets", (
        SELECT count(*)::int FROM dispatcher
        WHERE seen_at > now() - ${dispatcherSilentMs}::float8 * interval '1 ms'
      ) AS dispatchers, (
        SELECT CASE WHEN count(*) > 0 THEN (count(*) FILTER (WHERE expires_at > now()))::int END
        FROM lease WHERE name LIKE 'relay:%'
      ) AS relays, (
        SELECT count(*)::int FROM lease WHERE starts_with(name, 'without-queue:') AND expires_at > now()
      ) AS "withoutQueue", (
        SELECT COALESCE(max(claim_ms), 0) FROM lease WHERE name LIKE 'relay:%' AND expires_at > now()
      ) AS "claimMs"
    ) now_alive`,
};
