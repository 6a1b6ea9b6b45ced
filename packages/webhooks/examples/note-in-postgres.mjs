// A store for `fillGaps` in PostgreSQL. Needs the `pg` package.
//
//   CREATE TABLE handled_place (
//     id uuid PRIMARY KEY,
//     blockchain text NOT NULL,
//     sequence bigint NOT NULL,
//     previous_id uuid,
//     noted_at timestamptz NOT NULL DEFAULT now()
//   );
//   CREATE INDEX ON handled_place (blockchain, sequence);
//   CREATE INDEX ON handled_place (previous_id) WHERE previous_id IS NOT NULL;

/**
 * Notes which notifications one webhook has handled. Delete rows that are older than a week. A row
 * that is deleted leaves no hole, since `holes` has closed those that follow noted ones.
 * @param {Pick<import("pg").Pool, "query">} pool
 */
export function noteInPostgres(pool) {
  return {
    /** @param {{ id: string, blockchain: string, sequence: number, previousId: string | null }} place */
    async note({ id, blockchain, sequence, previousId }) {
      await pool.query(
        `INSERT INTO handled_place (id, blockchain, sequence, previous_id) VALUES ($1, $2, $3, $4)
         ON CONFLICT (id) DO UPDATE SET blockchain = EXCLUDED.blockchain, sequence = EXCLUDED.sequence,
           previous_id = EXCLUDED.previous_id`,
        [id, blockchain, sequence, previousId],
      );
    },
    /** @param {readonly string[]} ids */
    async noted(ids) {
      const { rows } = await pool.query("SELECT id FROM handled_place WHERE id = ANY($1::uuid[])", [
        ids,
      ]);
      return rows.map(({ id }) => id);
    },
    /** @param {number} graceMs */
    async holes(graceMs) {
      await pool.query(
        `UPDATE handled_place h SET previous_id = NULL
         FROM handled_place p WHERE p.id = h.previous_id`,
      );
      const { rows } = await pool.query(
        `SELECT h.id, h.blockchain, h.sequence, h.previous_id, below.id AS after_id, below.sequence AS after_sequence
         FROM handled_place h CROSS JOIN LATERAL (
           SELECT id, sequence FROM handled_place
           WHERE blockchain = h.blockchain AND sequence < h.sequence ORDER BY sequence DESC LIMIT 1
         ) below
         WHERE h.noted_at <= now() - make_interval(secs => $1)
           AND h.previous_id IS NOT NULL
         ORDER BY h.blockchain, h.sequence LIMIT 100`,
        [graceMs / 1_000],
      );
      return rows.map((row) => ({
        after: { id: row.after_id, sequence: Number(row.after_sequence) },
        before: {
          id: row.id,
          blockchain: row.blockchain,
          sequence: Number(row.sequence),
          previousId: row.previous_id,
        },
      }));
    },
  };
}
