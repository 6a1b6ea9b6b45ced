import { idAt } from "../../../../src/domain/id.ts";
import { runSql } from "../../../support/ledger/databases.ts";

/** A notification that was given up after one attempt, which timed out. `at` is ISO 8601. */
type GivenUp = { at: string; body: string };

/** Writes notifications of the only business's webhook that no test can wait for. */
export async function plantGivenUp(databaseUrl: string, planted: readonly GivenUp[]) {
  const rows = planted.map(
    ({ at, body }) => `('${idAt(Date.parse(at))}'::uuid, '${at}'::timestamptz, '${body}')`,
  );
  await runSql(
    databaseUrl,
    `WITH planted (id, at, body) AS (VALUES ${rows.join(", ")}),
    written AS (
      INSERT INTO notification (id, business_id, state, event, body, created_at)
      SELECT p.id, w.business_id, 'confirmed', 'transaction.deposit', p.body, p.at FROM planted p, webhook w
      RETURNING id, business_id),
    given_up AS (
      INSERT INTO delivery (id, notification_id, business_id, webhook_id, status, attempts)
      SELECT gen_random_uuid(), n.id, n.business_id, w.id, 'exhausted', 1 FROM written n JOIN webhook w USING (business_id)
      RETURNING id, webhook_id)
    INSERT INTO attempt (delivery_id, webhook_id, number, started_at, latency_ms, error_kind)
    SELECT id, webhook_id, 1, now() - interval '1 day', 15000, 'timeout' FROM given_up`,
  );
}
