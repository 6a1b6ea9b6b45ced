import type { StatementLedger } from "../../domain/evidence/made-statement.ts";
import type { Paper } from "../../domain/evidence/printed-statement.ts";
import type { StatementFormat } from "../../domain/evidence/statement-formats.ts";
import { requireId } from "../../domain/not-found.ts";
import { presentStatement } from "../../schema/statement.ts";
import { defineCommand } from "../define-command.ts";
import { argument, required, text } from "../parameter.ts";
import { formatTake } from "./make.ts";
import { type PrintPorts, pdfTake, requireFile, writeOrPrint } from "./print.ts";

type Ports = PrintPorts & { ledger: Pick<StatementLedger, "findStatement"> };

type Input = { id: string; format: StatementFormat; pdf: Paper | undefined; out: string };

/**
 * Writes a stored statement into a new file once more, as it was signed.
 * @throws Fault `statement_not_found`, `invalid_request`, `invariant_broken`, `printing_failed`
 */
export const statementGet = defineCommand({
  noun: "statement",
  name: "get",
  help: "Write a statement that was given out once more, as it was signed.",
  examples: [
    "statement get 018f… --format csv --out october.csv",
    "statement get 018f… --pdf letter --out october.pdf",
  ],
  takes: {
    id: argument("<id>", "the id of the statement"),
    format: formatTake,
    pdf: pdfTake,
    out: required("--out <file>", text, "a new file"),
  },
  async run(ports: Ports, input: Input) {
    await requireFile(ports, input);
    const id = requireId(input.id, "statement_not_found");
    const made = await ports.ledger.findStatement({ id, businessId: null });
    await writeOrPrint(ports, made, input);
    return { file: input.out, ...presentStatement(made) };
  },
});
