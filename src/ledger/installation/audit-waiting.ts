import type { AuditWaiting } from "../../domain/evidence/audit-chain.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";

/** Counts the entries of the audit trail without a place in the chain, refused ones included. */
export async function readAuditWaiting(db: Database): Promise<AuditWaiting> {
  const [row] = await statementsOf(db).$queryRaw<AuditWaiting[]>`
    SELECT min(since) AS since, count(refused_at)::int AS refused FROM audit_waiting`;
  return row ?? { since: null, refused: 0 };
}
