import type { AuditWaiting } from "../../domain/evidence/audit-chain.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";

/** The entries of the audit trail that have no place yet, refused ones too. */
export async function readAuditWaiting(db: Database): Promise<AuditWaiting> {
  const [row] = await statementsOf(db).$queryRaw<AuditWaiting[]>`
    SELECT min(since) AS since, count(refused_at)::int AS refused FROM audit_waiting`;
  return row ?? { since: null, refused: 0 };
}
