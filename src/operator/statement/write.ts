import { createHash, type Hash } from "node:crypto";
import type { MadeStatement, StatementLedger } from "../../domain/evidence/made-statement.ts";
import { type StatementFormat, statementIn } from "../../domain/evidence/statement-formats.ts";
import { Fault } from "../../domain/fault.ts";
import type { LineFiles } from "../line-files.ts";
import type { ShowProgress } from "../verb-bindings.ts";
import { shown } from "./progress.ts";

export type WritePorts = {
  ledger: Pick<StatementLedger, "readStatementTexts">;
  lineFiles: Pick<LineFiles, "writeParts">;
  showProgress: ShowProgress;
};

/** The new file for a statement, and the form in which to write it. */
export type StatementFile = { format: StatementFormat; out: string };

/**
 * Writes a statement into a new file, in one of its forms. The file is whole, or there is none.
 * @throws Fault `invalid_request`, `invariant_broken`, `statement_not_found`
 */
export async function writeStatement(
  ports: WritePorts,
  made: MadeStatement,
  { format, out }: StatementFile,
): Promise<void> {
  const read = ports.ledger.readStatementTexts(made);
  const texts = shown(ports.showProgress, read, made.entries);
  await writeParts(ports, out, statementIn(format, made, texts));
}

/** Writes a new file, and reads it back. @throws Fault `invalid_request`, `invariant_broken` */
export async function writeParts(
  { lineFiles }: Pick<WritePorts, "lineFiles">,
  out: string,
  parts: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  const written = createHash("sha256");
  await lineFiles.writeParts(out, hashed(parts, written), async (read) => {
    const readBack = createHash("sha256");
    for await (const part of read) readBack.update(part);
    if (readBack.digest("hex") !== written.digest("hex"))
      throw new Fault("invariant_broken", `The file ${out} is not what was written.`);
  });
}

/**
 * The SHA-256 in hex of the file that `writeStatement` would write.
 * @throws Fault as writeStatement
 */
export async function digestOfStatement(
  { ledger }: Pick<WritePorts, "ledger">,
  made: MadeStatement,
  format: StatementFormat,
): Promise<string> {
  const whole = createHash("sha256");
  const parts = statementIn(format, made, ledger.readStatementTexts(made));
  for await (const part of parts) whole.update(part);
  return whole.digest("hex");
}

async function* hashed(
  parts: AsyncIterable<string | Uint8Array>,
  hash: Hash,
): AsyncGenerator<string | Uint8Array> {
  for await (const part of parts) {
    hash.update(part);
    yield part;
  }
}
