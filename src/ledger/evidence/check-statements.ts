import type { LedgerFinding } from "../../domain/evidence/ledger-check.ts";
import type { MadeStatement } from "../../domain/evidence/made-statement.ts";
import { Fault } from "../../domain/fault.ts";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";
import { findAmong } from "./find-among.ts";
import { readStatementTexts } from "./made-statements.ts";

/** One query names this many statements. */
const batch = 1_000;

type Stored = Pick<MadeStatement, "id" | "businessId" | "digest">;

/**
 * Finds stored statements whose lines are missing or differ from the signed digest. The signature
 * itself is verified with the public key, outside the database
 * (docs/evidence.md#verifying-a-statement).
 */
export function findChangedStatements(db: Database): Promise<LedgerFinding[]> {
  return findAmong({
    batch,
    read: (after) => readStored(db, after),
    judge: async (row) =>
      (await isAsSigned(db, row))
        ? null
        : { kind: "statement", businessId: row.businessId, statementId: row.id },
  });
}

function readStored(db: Database, after: string | null): Promise<Stored[]> {
  return statementsOf(db).$queryRaw<Stored[]>`
    SELECT id, business_id AS "businessId", digest FROM account_statement
    WHERE finished_at IS NOT NULL AND (${after}::uuid IS NULL OR id > ${after}::uuid) ORDER BY id LIMIT ${batch}`;
}

async function isAsSigned(db: Database, stored: Stored): Promise<boolean> {
  try {
    for await (const _ of readStatementTexts(db, stored));
    return true;
  } catch (error) {
    if (error instanceof Fault && error.code === "invariant_broken") return false;
    if (error instanceof Fault && error.code === "statement_not_found")
      return isRemoved(db, stored);
    throw error;
  }
}

/** True if the statement was removed while its lines were read, which an operator may do. */
async function isRemoved(db: Database, { id }: Stored): Promise<boolean> {
  const rows = await statementsOf(db).$queryRaw<unknown[]>`
    SELECT 1 FROM account_statement WHERE id = ${id}::uuid`;
  return rows.length === 0;
}
