import type { MadeStatement } from "../../domain/evidence/made-statement.ts";
import {
  onPaper,
  type Paper,
  paperNames,
  printedStatement,
} from "../../domain/evidence/printed-statement.ts";
import type { Sign } from "../../domain/evidence/signing-key.ts";
import { statementIn } from "../../domain/evidence/statement-formats.ts";
import { titleOf } from "../../domain/evidence/statement-page.ts";
import { Fault, faultIn } from "../../domain/fault.ts";
import { invalidField } from "../../domain/text.ts";
import type { LineFiles } from "../line-files.ts";
import { oneOf, optional } from "../parameter.ts";
import { shown } from "./progress.ts";
import { type StatementFile, type WritePorts, writeParts, writeStatement } from "./write.ts";

export type Printer = {
  /** @throws Fault `printing_failed` if this machine has no program that prints */
  requireProgram: () => Promise<void>;
  /**
   * Prints a page of HTML to a PDF, without a network. Yields bytes only once the whole PDF is made
   * and has this title. The title must be ASCII without parentheses.
   * @throws Fault `printing_failed`
   */
  printPage: (page: AsyncIterable<string | Uint8Array>, title: string) => AsyncIterable<Uint8Array>;
};

export type PrintPorts = WritePorts & {
  lineFiles: Pick<LineFiles, "requireNew">;
  sign: Sign;
  printer: Printer;
};

/** The paper of a PDF. */
export const pdfTake = optional(
  "--pdf <paper>",
  oneOf(paperNames),
  "a PDF of the page in place of --format, on this paper: a4 or letter. A Chromium of this machine prints it",
);

type AskedFile = StatementFile & { pdf: Paper | undefined };

/**
 * Writes a statement into a new file: in one of its forms, or as a signed PDF of its page.
 * @throws Fault as writeStatement; `wrong_encryption_key`; `printing_failed` with the statement's
 *   id
 */
export async function writeOrPrint(
  ports: PrintPorts,
  made: MadeStatement,
  { pdf, ...file }: AskedFile,
): Promise<void> {
  if (pdf === undefined) return writeStatement(ports, made, file);
  const { ledger, printer, sign, showProgress } = ports;
  const texts = shown(showProgress, ledger.readStatementTexts(made), made.entries);
  const page = statementIn("html", made, texts);
  const printed = printer.printPage(followed(page, onPaper(pdf, made)), titleOf(made));
  try {
    await writeParts(ports, file.out, printedStatement(printed, made, sign));
  } catch (error) {
    const fault = faultIn(error);
    if (fault?.code !== "printing_failed") throw error;
    const message = `The statement ${made.id} is stored, and was not printed. ${fault.message}`;
    const facts = { ...fault.facts, statement: made.id };
    throw new Fault(fault.code, message, { cause: error, facts });
  }
}

/**
 * Checks before a statement is made that its file can be written.
 * @throws Fault `invalid_request`, `printing_failed`
 */
export async function requireFile(
  { lineFiles, printer }: Pick<PrintPorts, "lineFiles" | "printer">,
  file: AskedFile,
): Promise<void> {
  requireOneForm(file);
  await lineFiles.requireNew(file.out);
  if (file.pdf !== undefined) await printer.requireProgram();
}

/** Refuses a PDF of any form but the page. @throws Fault `invalid_request` */
function requireOneForm({ format, pdf }: AskedFile): void {
  if (pdf === undefined || format === "jsonl" || format === "html") return;
  throw invalidField(
    "pdf",
    `must come without --format: a PDF is made of the page, not of ${format}`,
  );
}

async function* followed<Part>(parts: AsyncIterable<Part>, last: Part): AsyncGenerator<Part> {
  yield* parts;
  yield last;
}
