/** The answers about the database as a whole, for an operator. */
export type DatabaseReport = {
  /** The size of the whole database, in bytes. */
  sizeBytes: bigint;
  /**
   * The growth of all tables, in bytes a day, measured over up to 31 days. Null: less than a day of
   * sizes is known.
   */
  bytesADay: bigint | null;
  /**
   * The largest tables, the largest first. `rows` is PostgreSQL's estimate, `bytes` includes
   * indexes. `bytesADay` may be negative.
   */
  tables: { name: string; rows: number; bytes: bigint; bytesADay: bigint | null }[];
  /** The names of the migrations that were applied, the newest first. */
  migrations: string[];
  /** The configuration that was applied last; null: none was. */
  configuration: { version: bigint; appliedAt: Date } | null;
};
