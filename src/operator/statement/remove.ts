import type { MadeStatement } from "../../domain/evidence/made-statement.ts";
import { requireId } from "../../domain/not-found.ts";
import { presentStatement, shownStatement } from "../../schema/statement.ts";
import { defineChangeOfOne } from "../define-change-of-one.ts";

type Ledger = { removeStatement: (id: string) => Promise<MadeStatement> };

/**
 * Deletes a statement and its lines. The audit trail still has its digest. Another statement of its
 * period may be made.
 * @throws Fault `statement_not_found`
 */
export const statementRemove = defineChangeOfOne({
  noun: "statement",
  name: "remove",
  param: "id",
  http: {
    method: "DELETE",
    path: "/statements/:id",
    summary: "Remove a statement that was given out; the audit trail keeps its digest",
  },
  help: "Remove a statement that was given out. The audit trail keeps its digest.",
  check: (id) => requireId(id, "statement_not_found"),
  call: (ledger: Ledger, id) => ledger.removeStatement(id),
  describe: ({ id, businessId, digest, period: { from, to } }) => ({
    subject: id,
    details: { businessId, digest, from, to },
  }),
  answer: shownStatement,
  present: presentStatement,
});
