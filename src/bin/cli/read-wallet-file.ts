import { createReadStream } from "node:fs";
import { CsvError, parse } from "csv-parse";
import { Fault } from "../../domain/fault.ts";
import { fileFault } from "../../domain/file-fault.ts";
import type { WalletFile } from "../../operator/wallet/import.ts";

const required = ["blockchain", "address"] as const;
const optional = ["purpose", "reference", "label", "from_block"] as const;
const columns: readonly string[] = [...required, ...optional];

/** Longer than any line with valid fields. */
const maxLineCharacters = 10_000;

type CsvRecord = { record: string[]; info: { lines: number } };

/**
 * Reads a CSV file (RFC 4180, UTF-8). Its first line names the columns in any order: blockchain and
 * address, and any of purpose, reference, label and from_block. An empty field counts as absent.
 * @throws Fault `invalid_request` if there is no such file, or its first line is something else
 */
export async function readWalletFile(path: string): Promise<WalletFile> {
  const file: WalletFile = { lines: [], faults: [] };
  const options = {
    bom: true,
    info: true,
    trim: true,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: maxLineCharacters,
  };
  const source = createReadStream(path);
  const parser = source.pipe(parse(options));
  source.on("error", (error) => parser.destroy(error));
  let header: string[] | null = null;
  try {
    for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
      if (header === null) header = readHeader(record);
      else readLine(file, header, { record, line: info.lines });
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw fileFault(path, "read", error);
    // After an unclosed quote nothing else can be read.
    const line = Number(error["lines"] ?? 0);
    file.faults.push({ line, field: "", message: `This is no CSV: ${error.message}.` });
  }
  if (header === null && file.faults.length === 0) throw wrongHeader("it is empty");
  return file;
}

/** The decoder puts this sign in the place of bytes that are none of UTF-8. */
const isUtf8 = (record: string[]) => !record.some((field) => field.includes("\ufffd"));

function readHeader(record: string[]): string[] {
  if (!isUtf8(record)) throw wrongHeader("it is not in UTF-8");
  const names = record.map((name) => name.toLowerCase());
  const unknown = names.filter((name) => !columns.includes(name));
  if (unknown.length > 0) throw wrongHeader(`there is no column '${unknown.join("', '")}'`);
  if (new Set(names).size < names.length) throw wrongHeader("a column is named twice");
  const missing = required.filter((name) => !names.includes(name));
  if (missing.length > 0) throw wrongHeader(`the column ${missing.join(" and ")} is missing`);
  return names;
}

function readLine(
  file: WalletFile,
  header: string[],
  at: { record: string[]; line: number },
): void {
  const { record, line } = at;
  if (!isUtf8(record)) {
    file.faults.push({ line, field: "", message: "The line must be in UTF-8." });
    return;
  }
  if (record.length > header.length) {
    const message = `The line must have ${header.length} fields; it has ${record.length}.`;
    file.faults.push({ line, field: "", message });
    return;
  }
  const fields = Object.fromEntries(
    header.flatMap((name, index) => {
      const value = record[index] ?? "";
      return value === "" ? [] : [[name, value]];
    }),
  );
  const { blockchain = "", address = "", from_block: fromBlock, ...rest } = fields;
  // A text that is not a number becomes NaN, and is refused together with the line's other faults.
  const history = fromBlock === undefined ? {} : { from_block: toNumber(fromBlock) };
  file.lines.push({ line, wallet: { blockchain, address, ...rest, ...history } });
}

function toNumber(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}

function wrongHeader(what: string): Fault {
  return new Fault(
    "invalid_request",
    `The first line of the file must name its columns (${columns.join(", ")}): ${what}.`,
  );
}
