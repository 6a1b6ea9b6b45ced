import type { Database } from "./database.ts";
import { statementsOf } from "./statements.ts";

type Position = { position: bigint | null };

/**
 * The position up to which a primary has written its history, in bytes.
 * @throws Fault `database_unavailable`
 */
export async function readWritten(primary: Database): Promise<bigint> {
  const [row] = await statementsOf(primary).$queryRaw<Position[]>`
    SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::int8 AS position`;
  return row?.position ?? 0n;
}

/**
 * The position up to which a replica shows that history, in bytes; null: the server is no replica.
 * @throws Fault `database_unavailable`
 */
export async function readReplayed(replica: Database): Promise<bigint | null> {
  const [row] = await statementsOf(replica).$queryRaw<Position[]>`
    SELECT CASE WHEN pg_is_in_recovery()
      THEN (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::int8 END AS position`;
  return row?.position ?? null;
}
