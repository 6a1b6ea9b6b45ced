// A store for `consume` in PostgreSQL: each event counts exactly once. Needs the `pg` package.
//
//   CREATE TABLE feed_cursor (consumer text PRIMARY KEY, cursor text NOT NULL);
//   CREATE TABLE handled_notification (
//     id uuid PRIMARY KEY,
//     handled_at timestamptz NOT NULL DEFAULT now()
//   );

/**
 * The store of one consumer. For each new id, `effects(client, notification)` runs in the
 * transaction that stores the id and the cursor.
 * @param {import("pg").Pool} pool
 * @param {string} consumer
 * @param {(client: import("pg").PoolClient, notification: { id: string }) => Promise<unknown>}
 *   effects
 */
export function storeInPostgres(pool, consumer, effects) {
  return {
    async read() {
      const asked = "SELECT cursor FROM feed_cursor WHERE consumer = $1";
      const { rows } = await pool.query(asked, [consumer]);
      return rows[0]?.cursor ?? null;
    },
    /** @param {{ notifications: readonly { id: string }[], cursor: string }} page */
    async commit({ notifications, cursor }) {
      const client = await pool.connect();
      try {
        await client.query("BEGIN");
        for (const notification of notifications) {
          const { rowCount } = await client.query(
            "INSERT INTO handled_notification (id) VALUES ($1) ON CONFLICT DO NOTHING",
            [notification.id],
          );
          if (rowCount === 1) await effects(client, notification);
        }
        await client.query(
          `INSERT INTO feed_cursor (consumer, cursor) VALUES ($1, $2)
           ON CONFLICT (consumer) DO UPDATE SET cursor = EXCLUDED.cursor`,
          [consumer, cursor],
        );
        await client.query("COMMIT");
      } catch (error) {
        await client.query("ROLLBACK").catch(() => undefined);
        throw error;
      } finally {
        client.release();
      }
    },
  };
}
