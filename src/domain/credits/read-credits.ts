import { csvCells } from "../csv.ts";
import { Fault } from "../fault.ts";
import {
  type CreditField,
  type CreditLine,
  type CreditTexts,
  creditFieldNames,
  parseCredit,
} from "./credit.ts";
import {
  type CreditProblem,
  type CreditProblemCode,
  creditProblem,
  shownText,
} from "./credit-problem.ts";

/** The formats of credits. */
export const creditFormats = {
  csv: { mediaType: "text/csv" },
  jsonl: { mediaType: "application/x-ndjson" },
} as const;

export type CreditFormat = keyof typeof creditFormats;

/**
 * The most lines and bytes of one run, and the most characters of one line. A malformed line is
 * stored whole. With 250 bytes, a line has room for a transaction, an amount, a time, and a long
 * reference.
 */
const mostLines = 2_000_000;
const mostBytes = 500_000_000;
export const mostCharacters = 10_000;

/** The most lines and characters of one batch: some ms of work. */
const batchLines = 1_000;
const batchCharacters = 500_000;

/**
 * Reads credits in UTF-8 as they arrive, in batches and in constant memory, one credit a line. In
 * CSV the first line names the columns, in any order. In JSON Lines each line is an object. A line
 * that cannot be read gives a value with its number and text. Blank lines are skipped.
 * @param most the most bytes of the run
 * @throws Fault `invalid_request` if the first line is wrong, a line is too long, or lines or bytes
 *   are too many
 */
export async function* readCredits(
  bytes: AsyncIterable<Uint8Array>,
  format: CreditFormat,
  most = mostBytes,
): AsyncGenerator<readonly CreditLine[]> {
  let header: readonly CreditField[] | null = null;
  let batch: CreditLine[] = [];
  let characters = 0;
  for await (const { line, text } of linesOf(bytes, most)) {
    if (text.trim() === "") continue;
    if (format === "csv" && header === null) {
      header = readHeader(text);
      continue;
    }
    batch.push(readLine(line, text, header));
    characters += text.length;
    if (batch.length < batchLines && characters < batchCharacters) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (format === "csv" && header === null) throw wrongHeader("there is none");
  if (batch.length > 0) yield batch;
}

type TextLine = { line: number; text: string };

async function* linesOf(bytes: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<TextLine> {
  const decoder = new TextDecoder();
  let rest = "";
  let line = 0;
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > most) throw tooMany(`${most} bytes`);
    const texts = `${rest}${decoder.decode(chunk, { stream: true })}`.split("\n");
    rest = texts.pop() ?? "";
    for (const text of texts) {
      line += 1;
      yield lineOf(line, text);
    }
    if (rest.length > mostCharacters) throw tooLong(line + 1);
  }
  rest += decoder.decode();
  if (rest !== "") yield lineOf(line + 1, rest);
}

function lineOf(line: number, text: string): TextLine {
  if (text.length > mostCharacters) throw tooLong(line);
  if (line > mostLines + 1) throw tooMany(`${mostLines} lines`);
  return { line, text: text.endsWith("\r") ? text.slice(0, -1) : text };
}

function tooMany(most: string): Fault {
  return new Fault(
    "invalid_request",
    `There are more than ${most}: send the credits of a shorter period.`,
  );
}

function tooLong(line: number): Fault {
  return new Fault(
    "invalid_request",
    `Line ${line} has more than ${mostCharacters} characters: send one credit a line.`,
  );
}

function readHeader(text: string): readonly CreditField[] {
  // In UTF-16 every other byte is 0.
  if (!isUtf8(text) || text.includes("\0")) throw wrongHeader("it is not in UTF-8");
  const names = csvCells(text)?.map((name) => name.trim().toLowerCase());
  if (names === undefined) throw wrongHeader("a quote is not closed");
  const fields = names.filter(isField);
  const unknown = names.filter((name) => !isField(name));
  if (names.length === 1 && /[;\t]/.test(text)) throw wrongHeader("commas must separate them");
  if (unknown.length > 0)
    throw wrongHeader(`there is no column '${unknown.map(shownText).join("', '")}'`);
  if (new Set(names).size < names.length) throw wrongHeader("a column is named twice");
  return fields;
}

/** The decoder puts this sign in the place of bytes that are none of UTF-8. */
function isUtf8(text: string): boolean {
  return !text.includes("\uFFFD");
}

function isField(name: string): name is CreditField {
  return creditFieldNames.some((field) => field === name);
}

function wrongHeader(what: string): Fault {
  return new Fault(
    "invalid_request",
    `The first line must name the columns (${creditFieldNames.join(", ")}): ${what}.`,
  );
}

/** @param header the columns of CSV; null: the line is a JSON object */
function readLine(line: number, text: string, header: readonly CreditField[] | null): CreditLine {
  const read = readTexts(text, header);
  const parsed = read.kind === "texts" ? parseCredit(read.texts) : read;
  if (parsed.kind === "credit") return { kind: "credit", line, credit: parsed.credit };
  // PostgreSQL cannot store U+0000.
  const kept = text.replaceAll("\0", "\uFFFD");
  return { kind: "malformed", line, text: kept, problem: parsed.problem };
}

/** A reference in another encoding would be taken for another one. */
function readTexts(text: string, header: readonly CreditField[] | null): ReadTexts {
  if (!isUtf8(text)) return problem("encoding");
  return header === null ? readObject(text) : readCells(text, header);
}

type ReadTexts =
  | { kind: "texts"; texts: CreditTexts }
  | { kind: "problem"; problem: CreditProblem };

function problem(code: CreditProblemCode, values: CreditProblem["values"] = {}): ReadTexts {
  return { kind: "problem", problem: creditProblem(code, values) };
}

function readCells(text: string, header: readonly CreditField[]): ReadTexts {
  const cells = csvCells(text);
  if (cells === null) return problem("quotes");
  if (cells.length !== header.length)
    return problem("cells", { expected: header.length, found: cells.length });
  const texts: CreditTexts = {};
  for (const [index, field] of header.entries()) texts[field] = cells[index]?.trim() ?? "";
  return { kind: "texts", texts };
}

function readObject(text: string): ReadTexts {
  let object: unknown;
  try {
    object = JSON.parse(text);
  } catch {
    return problem("not_an_object");
  }
  if (typeof object !== "object" || object === null || Array.isArray(object))
    return problem("not_an_object");
  const texts: CreditTexts = {};
  for (const [name, value] of Object.entries(object)) {
    if (!isField(name)) return problem("unknown_field", { field: name });
    if (value === null) continue;
    if (typeof value !== "string") return problem("not_a_text", { field: name });
    texts[name] = value;
  }
  return { kind: "texts", texts };
}
