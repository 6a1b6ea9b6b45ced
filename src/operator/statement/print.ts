import type { MadeStatement } from "../../domain/evidence/made-statement.ts";
import { onPaper, type Paper, printedStatement } from "../../domain/evidence/printed-statement.ts";
import type { Sign } from "../../domain/evidence/signing-key.ts";
import { statementIn } from "../../domain/evidence/statement-formats.ts";
import { invalidField } from "../../domain/text.ts";
import { oneOf, optional } from "../parameter.ts";
import { type StatementFile, type WritePorts, writeParts, writeStatement } from "./write.ts";

/**
 * Prints a page of HTML to a PDF, without a network.
 * @throws Fault `printing_failed`
 */
export type PrintPage = (page: AsyncIterable<string | Uint8Array>) => AsyncIterable<Uint8Array>;

export type PrintPorts = WritePorts & { sign: Sign; printPage: PrintPage };

/** The paper of a PDF. */
export const pdfTake = optional(
  "--pdf <paper>",
  oneOf<Paper>(["a4", "letter"]),
  "a PDF of the page in place of --format, on this paper: a4 or letter. A Chromium of this machine prints it",
);

/**
 * Writes a statement into a new file: in one of its forms, or as a signed PDF of its page.
 * @throws Fault as writeStatement; `printing_failed`, `wrong_encryption_key`
 */
export async function writeOrPrint(
  ports: PrintPorts,
  made: MadeStatement,
  { pdf, ...file }: StatementFile & { pdf: Paper | undefined },
): Promise<void> {
  if (pdf === undefined) return writeStatement(ports, made, file);
  const { ledger, printPage, sign } = ports;
  const page = statementIn("html", made, ledger.readStatementTexts(made));
  const printed = printPage(followed(page, onPaper(pdf)));
  await writeParts(ports, file.out, printedStatement(printed, made, sign));
}

/** A PDF is made of the page alone. @throws Fault `invalid_request` */
export function requireOneForm({
  format,
  pdf,
}: Pick<StatementFile, "format"> & { pdf: Paper | undefined }): void {
  if (pdf === undefined || format === "jsonl" || format === "html") return;
  throw invalidField("pdf", `a PDF is made of the page, not of ${format}: leave out --format`);
}

async function* followed<Part>(parts: AsyncIterable<Part>, last: Part): AsyncGenerator<Part> {
  yield* parts;
  yield last;
}
