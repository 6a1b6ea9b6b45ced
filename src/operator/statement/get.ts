import type { StatementLedger } from "../../domain/evidence/made-statement.ts";
import type { StatementFormat } from "../../domain/evidence/statement-formats.ts";
import { requireId } from "../../domain/not-found.ts";
import { presentStatement } from "../../schema/statement.ts";
import { defineCommand } from "../define-command.ts";
import { argument, required, text } from "../parameter.ts";
import { formatTake } from "./make.ts";
import { type WritePorts, writeStatement } from "./write.ts";

type Ports = WritePorts & { ledger: Pick<StatementLedger, "findStatement"> };

type Input = { id: string; format: StatementFormat; out: string };

/**
 * Writes a statement that was given out into a new file once more, as it was signed.
 * @throws Fault `statement_not_found`, `invalid_request`, `invariant_broken`
 */
export const statementGet = defineCommand({
  noun: "statement",
  name: "get",
  help: "Write a statement that was given out once more, as it was signed.",
  examples: ["statement get 018f… --format csv --out october.csv"],
  takes: {
    id: argument("<id>"),
    format: formatTake,
    out: required("--out <file>", text, "the file, which is not there yet"),
  },
  async run(ports: Ports, input: Input) {
    const id = requireId(input.id, "statement_not_found");
    const made = await ports.ledger.findStatement({ id, businessId: null });
    await writeStatement(ports, made, input);
    return { file: input.out, ...presentStatement(made) };
  },
});
