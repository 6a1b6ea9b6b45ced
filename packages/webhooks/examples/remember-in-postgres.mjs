// Remembers handled notifications in PostgreSQL, in the transaction of their effects. Needs the
// `pg` package.
//
//   CREATE TABLE handled_notification (
//     id uuid PRIMARY KEY,
//     handled_at timestamptz NOT NULL DEFAULT now()
//   );

/**
 * Runs `effects(client, notification)` and remembers the notification in one transaction. The
 * effects are applied exactly once, even if the process dies in between. Answers false if they were
 * applied before.
 * @param {import("pg").Pool} pool
 * @param {{ id: string }} notification
 * @param {(client: import("pg").PoolClient, notification: { id: string }) => Promise<unknown>}
 * effects
 */
export async function applyOnce(pool, notification, effects) {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const { rowCount } = await client.query(
      "INSERT INTO handled_notification (id) VALUES ($1) ON CONFLICT DO NOTHING",
      [notification.id],
    );
    if (rowCount === 1) await effects(client, notification);
    await client.query("COMMIT");
    return rowCount === 1;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

/** For a handler's `memory`: every call reaches `onNotification`, where applyOnce decides. */
export const rememberElsewhere = {
  claim: async () => /** @type {const} */ ("claimed"),
  keep: async () => undefined,
  release: async () => undefined,
};
