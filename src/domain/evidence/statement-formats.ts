import { csvLine } from "../csv.ts";
import { Fault } from "../fault.ts";
import { isTurnOver, nextTurn } from "../in-slices.ts";
import { canonicalJson } from "./canonical-json.ts";
import type { StatementLine } from "./statement-lines.ts";
import { type SignedBy, StatementPage } from "./statement-page.ts";
import { statementTable } from "./statement-table.ts";

/** The formats of statements, each with its media type. */
export const statementFormats = {
  jsonl: "application/x-ndjson",
  csv: "text/csv",
  html: "text/html",
  parquet: "application/vnd.apache.parquet",
} as const;

export type StatementFormat = keyof typeof statementFormats;

/**
 * Writes a statement in one of the formats, in constant memory: as texts, or as bytes of Parquet.
 * @param texts the lines as they were signed, whole ones in each text
 */
export async function* statementIn(
  format: StatementFormat,
  signed: SignedBy,
  texts: AsyncIterable<string>,
): AsyncGenerator<string | Uint8Array, void, void> {
  if (format === "jsonl") yield* texts;
  else if (format === "parquet") yield* statementTable(signed, linesOf(texts));
  else yield* printed(format, signed, texts);
}

/** A part of a table or a page has about this many characters. */
const partLength = 32 * 1024;

async function* printed(
  format: "csv" | "html",
  signed: SignedBy,
  texts: AsyncIterable<string>,
): AsyncGenerator<string> {
  const table = new StatementCsv();
  const page = new StatementPage(signed);
  const lineIn = (line: StatementLine) => (format === "csv" ? table.add(line) : page.add(line));
  for await (const lines of linesOf(texts)) {
    let part = "";
    for (const line of lines) {
      part += lineIn(line);
      if (isTurnOver()) await nextTurn();
      if (part.length < partLength) continue;
      yield part;
      part = "";
    }
    if (part !== "") yield part;
  }
}

async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<Iterable<StatementLine>> {
  for await (const text of texts) yield linesIn(text);
}

/** The texts of up to ten characters that differ from line to line. */
const shortTexts = ["amount", "amount_atomic", "balance", "entry_id", "usd_value"] as const;

const shortText = new RegExp(`"(?:${shortTexts.join("|")})":"`, "g");

/**
 * V8 keeps each text of up to ten characters that JSON.parse reads, until it collects the whole
 * heap. Of a million entries these took 60 MB. So JSON.parse reads them with this before each.
 */
const filler = " ".repeat(10);

/**
 * The lines one after another, without keeping earlier ones.
 * @throws Fault `invariant_broken` if the last line has no line break, and so is not complete
 */
function* linesIn(text: string): Generator<StatementLine> {
  const filled = text.replaceAll(shortText, `$&${filler}`);
  let from = 0;
  for (let end = filled.indexOf("\n"); end !== -1; end = filled.indexOf("\n", from)) {
    yield lineOf(filled.slice(from, end));
    from = end + 1;
  }
  if (from < filled.length)
    throw new Fault("invariant_broken", "A statement ends in the middle of a line.");
}

function lineOf(filled: string): StatementLine {
  const line = JSON.parse(filled);
  for (const name of shortTexts)
    if (typeof line[name] === "string") line[name] = line[name].slice(filler.length);
  return line;
}

/**
 * The columns of form 1 as CSV. All other fields of a line are in `more`, as JSON. So is an empty
 * text, since an empty cell means null.
 */
const columns = [
  "line",
  "blockchain",
  "wallet_id",
  "address",
  "label",
  "reference",
  "asset",
  "type",
  "kind",
  "prior_period",
  "time",
  "amount",
  "balance",
  "usd_value",
  "block",
  "tx_hash",
  "from",
  "to",
  "transaction_id",
  "recorded_at",
] as const;

/** The columns that form 2 adds. */
const laterColumns = ["state", "since_block", "price_source", "price_as_of"] as const;

class StatementCsv {
  #names: readonly string[] = columns;
  #named: ReadonlySet<string> = new Set(columns);

  add(line: StatementLine): string {
    if (line.line !== "statement") return this.#rowOf(line);
    this.#names = line.statement === 1 ? columns : [...columns, ...laterColumns];
    this.#named = new Set(this.#names);
    return csvLine([...this.#names, "more"]) + this.#rowOf(line);
  }

  #rowOf(line: StatementLine): string {
    const fields: Readonly<Record<string, unknown>> = line;
    const more: Record<string, unknown> = {};
    for (const name of Object.keys(fields))
      if (!this.#named.has(name) || fields[name] === "") more[name] = fields[name];
    const cells = this.#names.map((name) => {
      const value = fields[name] ?? null;
      return value === null ? null : String(value);
    });
    cells.push(canonicalJson(more));
    return csvLine(cells);
  }
}
