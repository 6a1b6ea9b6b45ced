import type { StatementLedger } from "../../domain/evidence/made-statement.ts";
import { requireId } from "../../domain/not-found.ts";
import { presentStatement, shownStatement } from "../../schema/statement.ts";
import { defineList } from "../define-list.ts";
import { required, text } from "../parameter.ts";

type Ports = { ledger: Pick<StatementLedger, "readStatements"> };

/** The statements that were given out to a business or for it, newest first. */
export const statementList = defineList({
  noun: "statement",
  http: {
    path: "/businesses/:id/statements",
    summary: "List the statements of a business that were given out",
    filter: ({ params }) => ({ business: params.id }),
  },
  cli: {
    name: "list",
    help: "List the statements of a business that were given out, newest first.",
    examples: ["statement list --business 018f…"],
    takes: { business: required("--business <id>", text, "of this business") },
    // Nobody wants all of them on the screen.
    standardLimit: 100,
  },
  check: ({ business }: { business: string }) => requireId(business, "business_not_found"),
  call: ({ ledger }: Ports, businessId, page) => ledger.readStatements(businessId, page),
  row: shownStatement,
  present: presentStatement,
});
