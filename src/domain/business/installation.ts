/** What an operator asks of the database as a whole. */
export type DatabaseReport = {
  /** In all, in bytes. */
  sizeBytes: bigint;
  /** What all tables have grown by a day, in bytes, by their sizes of up to 31 days ago; null: not known for a day yet. */
  bytesADay: bigint | null;
  /** The largest, the largest first; rows as PostgreSQL estimates them, bytes with indexes. `bytesADay` may be negative. */
  tables: { name: string; rows: number; bytes: bigint; bytesADay: bigint | null }[];
  /** The names of the migrations that were applied, the newest first. */
  migrations: string[];
  /** Of the configuration that was applied last; null: none was. */
  configuration: { version: bigint; appliedAt: Date } | null;
};
