import type { StatementLedger } from "../../domain/evidence/made-statement.ts";
import { requireId } from "../../domain/not-found.ts";
import { presentStatement, shownStatement } from "../../schema/statement.ts";
import { defineList } from "../define-list.ts";
import { type BusinessReader, pageOfBusiness } from "../page-of-business.ts";
import { required, text } from "../parameter.ts";

type Ports = { ledger: BusinessReader & Pick<StatementLedger, "readStatements"> };

/** Lists the statements made by a business, or by an operator for it, newest first. */
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
    // There may be very many, too many for a screen.
    standardLimit: 100,
  },
  check: ({ business }: { business: string }) => requireId(business, "business_not_found"),
  call: ({ ledger }: Ports, businessId, page) =>
    pageOfBusiness(ledger, businessId, ledger.readStatements(businessId, page)),
  row: shownStatement,
  present: presentStatement,
});
