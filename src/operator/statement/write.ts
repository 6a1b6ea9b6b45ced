import { createHash, type Hash } from "node:crypto";
import type { MadeStatement, StatementLedger } from "../../domain/evidence/made-statement.ts";
import { type StatementFormat, statementIn } from "../../domain/evidence/statement-formats.ts";
import { Fault } from "../../domain/fault.ts";
import type { LineFiles } from "../line-files.ts";

export type WritePorts = {
  ledger: Pick<StatementLedger, "readStatementTexts">;
  lineFiles: Pick<LineFiles, "write">;
};

/**
 * Writes a statement into a new file, in one of its forms. The file is there whole, or not at all.
 * @throws Fault `invalid_request`, `invariant_broken`, `statement_not_found`
 */
export async function writeStatement(
  { ledger, lineFiles }: WritePorts,
  made: MadeStatement,
  { format, out }: { format: StatementFormat; out: string },
): Promise<void> {
  const texts = statementIn(format, made, ledger.readStatementTexts(made));
  const written = createHash("sha256");
  await lineFiles.write(out, hashed(linesOf(texts), written), async (read) => {
    const readBack = createHash("sha256");
    for await (const line of read) add(readBack, line);
    if (readBack.digest("hex") !== written.digest("hex"))
      throw new Fault("invariant_broken", `The file ${out} is not what was written.`);
  });
}

/** The SHA-256 of the file that `writeStatement` writes, hex. @throws Fault as that */
export async function digestOfStatement(
  { ledger }: Pick<WritePorts, "ledger">,
  made: MadeStatement,
  format: StatementFormat,
): Promise<string> {
  const whole = createHash("sha256");
  const texts = statementIn(format, made, ledger.readStatementTexts(made));
  for await (const line of linesOf(texts)) whole.update(`${line}\n`);
  return whole.digest("hex");
}

/** Without the line breaks, which the file gets from its writer. */
async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const text of texts) yield* text.replace(/\n$/, "").split("\n");
}

async function* hashed(lines: AsyncIterable<string>, hash: Hash): AsyncGenerator<string> {
  for await (const line of lines) {
    add(hash, line);
    yield line;
  }
}

/** Without signs beside the line feed that a reader of lines takes for line breaks. */
function add(hash: Hash, line: string): void {
  hash.update(line.replaceAll(/[\r\u2028\u2029]/g, ""));
}
