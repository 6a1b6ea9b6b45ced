import type { Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";

// Makes the signed lines of a statement again from its table. Each kind of line has its own fields,
// and its cells of other fields must be empty.

type Kind = "text" | "count" | "boolean";

const holding = {
  blockchain: "text",
  wallet_id: "text",
  address: "text",
  label: "text",
  reference: "text",
  asset: "text",
  amount: "text",
} as const;

type Fields = Readonly<Record<string, Readonly<Record<string, Kind>>>>;

/** The fields in form 1. */
const fieldsOf: Fields = {
  statement: { from: "text", to: "text" },
  chain: { blockchain: "text" },
  opening: holding,
  entry: {
    ...holding,
    type: "text",
    kind: "text",
    prior_period: "boolean",
    time: "text",
    balance: "text",
    usd_value: "text",
    block: "count",
    tx_hash: "text",
    from: "text",
    to: "text",
    transaction_id: "text",
    recorded_at: "text",
  },
  closing: holding,
  total: { blockchain: "text", asset: "text" },
  count: {},
  end: {},
};

/** The fields in form 2, whose table has more columns. */
const laterFieldsOf: Fields = {
  ...fieldsOf,
  entry: {
    ...fieldsOf["entry"],
    state: "text",
    since_block: "count",
    price_source: "text",
    price_as_of: "text",
  },
  unconfirmed: {
    ...holding,
    type: "text",
    time: "text",
    block: "count",
    tx_hash: "text",
    from: "text",
    to: "text",
    transaction_id: "text",
    state: "text",
  },
};

/** The fields of the form whose columns the table has. */
function fieldsIn(head: readonly string[]): Fields {
  return head.includes("state") ? laterFieldsOf : fieldsOf;
}

/**
 * Yields the canonical lines that a table was made from. Null for a row that cannot come from a
 * line, which is reported as wrong.
 */
export async function* linesOfCsv(
  bytes: Readable,
  say: (what: string) => void,
): AsyncGenerator<string | null> {
  let head: string[] | null = null;
  let number = 0;
  try {
    for await (const cells of bytes.pipe(parse({ relax_column_count: true }))) {
      if (head === null) {
        head = headIn(cells, say);
        continue;
      }
      number += 1;
      yield lineOf(head, cells, (what) => say(`line ${number}: ${what}`));
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    say(`it is no CSV after line ${number}: ${error.message}`);
  }
}

function headIn(cells: string[], say: (what: string) => void): string[] {
  const columns = new Set(["line", "more", ...Object.values(fieldsIn(cells)).flatMap(Object.keys)]);
  const isWhole = cells.length === columns.size && cells.every((name) => columns.has(name));
  if (!isWhole || new Set(cells).size !== cells.length) say(`the columns are ${cells.join(", ")}`);
  return cells;
}

function lineOf(head: string[], cells: string[], say: (what: string) => void): string | null {
  if (cells.length !== head.length) {
    say(`it has ${cells.length} cells, and the head ${head.length}`);
    return null;
  }
  const row = new Map(head.map((name, place) => [name, cells[place] ?? ""]));
  const kind = row.get("line") ?? "";
  const fields = fieldsIn(head)[kind];
  const more = moreIn(bare(row.get("more") ?? "", () => say("more has a wrong apostrophe")));
  if (fields === undefined || more === null) {
    say(fields === undefined ? `there are no lines '${kind}'` : "'more' is no canonical JSON");
    return null;
  }
  if ("line" in more) say("line stands in 'more' too");
  const line: Record<string, unknown> = { ...more, line: kind };
  for (const [name, cell] of row) {
    if (name === "line" || name === "more") continue;
    const of = fields[name];
    if (of === undefined && cell !== "") say(`'${kind}' has no ${name}`);
    if (of === undefined || (name in more && more[name] === "" && cell === "")) continue;
    if (name in more) say(`${name} stands in 'more' too`);
    const refuse = () => say(`${name} is '${cell}'`);
    line[name] = cell === "" ? null : readCell(of, bare(cell, refuse), refuse);
  }
  return canonical(line);
}

/** The places before which a spreadsheet would run a formula, or at which an apostrophe stands. */
const formula = /(?<=^|[;\t])(?=[=+\-@\t\r\n'\uFF0B\uFF0D\uFF1D\uFF20])/g;

const decimal = /^-?\d+(\.\d+)?$/;

/** The text of a cell. Exactly the places above must have an apostrophe. */
function bare(cell: string, refuse: () => void): string {
  const text = cell.replace(/(?<=^|[;\t])'/g, "");
  const marked = decimal.test(text) ? text : text.replace(formula, "'");
  if (marked !== cell) refuse();
  return text;
}

function readCell(kind: Kind, text: string, refuse: () => void): unknown {
  if (kind === "text") return text;
  const value = kind === "count" ? Number(text) : text === "true";
  if (String(value) !== text) refuse();
  return value;
}

function moreIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || canonical(value) !== text) return null;
    return Object.fromEntries(Object.entries(value));
  } catch {
    return null;
  }
}

/** Canonical JSON (RFC 8785). */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, one]) => `${JSON.stringify(name)}:${canonical(one)}`).join(",")}}`;
}
