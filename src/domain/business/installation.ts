/** What an operator asks of the database as a whole. */
export type DatabaseReport = {
  /** In all, in bytes. */
  sizeBytes: bigint;
  /** The largest, the largest first; rows as PostgreSQL estimates them, bytes with indexes. */
  tables: { name: string; rows: number; bytes: bigint }[];
  /** The names of the migrations that were applied, the newest first. */
  migrations: string[];
  /** Of the configuration that was applied last; null: none was. */
  configuration: { version: bigint; appliedAt: Date } | null;
};
