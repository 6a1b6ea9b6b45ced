import { ByteWriter, ParquetWriter, type SchemaElement } from "hyparquet-writer";
import { Fault } from "../fault.ts";
import { isTurnOver, nextTurn } from "../in-slices.ts";
import { keysOf } from "../keys-of.ts";
import { canonicalJson } from "./canonical-json.ts";
import { type ColumnValue, type ColumnValues, ParquetColumn } from "./parquet-column.ts";
import type { StatementLine } from "./statement-lines.ts";
import type { SignedBy } from "./statement-page.ts";

type LineOf<Name extends StatementLine["line"]> = Extract<StatementLine, { line: Name }>;

type EntryLine = LineOf<"entry">;

/**
 * A column's type in Parquet. `text`: UTF-8. `moment`: milliseconds in UTC. `whole`: 64 bits. A
 * decimal is a text, because readers' widest decimals have 38 digits, and an amount may have 78.
 */
type ColumnType = "text" | "moment" | "whole" | "flag";

type Column = {
  type: ColumnType;
  /** Left out: every entry has a value. */
  nullable?: true;
  /** Left out: `repeated`. */
  values?: ColumnValues;
};

type EntryField = keyof Omit<EntryLine, "line">;

/** Fields that form 1 does not have. */
type LaterField = "state" | "since_block" | "price_source" | "price_as_of";

const columns: Readonly<Record<Exclude<EntryField, LaterField>, Column>> = {
  blockchain: { type: "text" },
  wallet_id: { type: "text" },
  address: { type: "text" },
  label: { type: "text", nullable: true },
  reference: { type: "text", nullable: true },
  asset: { type: "text" },
  decimals: { type: "whole" },
  entry_id: { type: "whole", values: "distinct" },
  kind: { type: "text" },
  type: { type: "text" },
  prior_period: { type: "flag" },
  amount: { type: "text", values: "random" },
  amount_atomic: { type: "text", values: "random" },
  balance: { type: "text", values: "random" },
  usd_value: { type: "text", nullable: true, values: "random" },
  time: { type: "moment", nullable: true, values: "distinct" },
  recorded_at: { type: "moment", values: "distinct" },
  block: { type: "whole", values: "distinct" },
  block_hash: { type: "text", nullable: true, values: "random" },
  tx_hash: { type: "text", nullable: true, values: "random" },
  transaction_id: { type: "text", nullable: true, values: "distinct" },
  from: { type: "text", nullable: true },
  to: { type: "text", nullable: true },
  memo: { type: "text", nullable: true },
};

const stored: Readonly<Record<ColumnType, Omit<SchemaElement, "name">>> = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  moment: {
    type: "INT64",
    converted_type: "TIMESTAMP_MILLIS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
  },
  whole: { type: "INT64" },
  flag: { type: "BOOLEAN" },
};

const laterColumns: Readonly<Record<LaterField, Column>> = {
  state: { type: "text", nullable: true },
  since_block: { type: "whole", nullable: true },
  price_source: { type: "text", nullable: true },
  price_as_of: { type: "moment", nullable: true },
};

type NamedColumn = Column & { name: EntryField };

function columnsOf(form: 1 | 2): NamedColumn[] {
  return [...named(columns), ...(form === 1 ? [] : named(laterColumns))];
}

function named<Name extends EntryField>(of: Readonly<Record<Name, Column>>): NamedColumn[] {
  return keysOf(of).map((name) => ({ name, ...of[name] }));
}

function elementOf({ name, type, nullable }: NamedColumn): SchemaElement {
  return { name, ...stored[type], repetition_type: nullable === true ? "OPTIONAL" : "REQUIRED" };
}

function schemaOf(of: readonly NamedColumn[]): SchemaElement[] {
  return [{ name: "statement", num_children: of.length }, ...of.map(elementOf)];
}

/**
 * This many entries are in memory at once. With smaller row groups readers are slow. Writing a
 * group's end takes 5 ms.
 */
const groupSize = 10_000;

/**
 * A statement's entries as a Parquet file, one row each, in constant memory. The file's metadata
 * has the statement's head, digest and signature. The same lines give the same bytes.
 */
export async function* statementTable(
  { digest, signature }: SignedBy,
  lines: AsyncIterable<Iterable<StatementLine>>,
): AsyncGenerator<Uint8Array> {
  const writer = new ByteWriter();
  let begun: Begun | null = null;
  for await (const some of lines) {
    for (const line of some) {
      if (isTurnOver()) await nextTurn();
      if (line.line === "statement") begun = begin(writer, line);
      if (line.line !== "entry" || begun === null) continue;
      const { group, table } = begun;
      group.add(line);
      if (group.size === groupSize) yield* group.end(table, writer);
    }
  }
  if (begun === null) throw new Fault("invariant_broken", "A statement has no first line.");
  const { head, group, table } = begun;
  if (group.size > 0) yield* group.end(table, writer);
  table.kvMetadata = [
    { key: "chainbell.statement", value: canonicalJson(head) },
    { key: "chainbell.sha256", value: digest },
    { key: "chainbell.signature", value: signature.value },
    { key: "chainbell.key_id", value: signature.keyId },
  ];
  await table.finish();
  yield taken(writer);
}

type Begun = { head: LineOf<"statement">; table: ParquetWriter; group: EntryGroup };

/** Begins a table with the columns of the statement's form. */
function begin(writer: ByteWriter, head: LineOf<"statement">): Begun {
  const of = columnsOf(head.statement);
  const table = new ParquetWriter({ writer, schema: schemaOf(of), createdBy: "chainbell" });
  return { head, table, group: new EntryGroup(of) };
}

type RowGroup = ParquetWriter["row_groups"][number];

class EntryGroup {
  size = 0;
  readonly #columns: { column: ParquetColumn; add: (line: EntryLine) => void }[];

  constructor(columnsOfForm: readonly NamedColumn[]) {
    this.#columns = columnsOfForm.map((of) => {
      const column = new ParquetColumn(elementOf(of), of.values ?? "repeated", groupSize);
      const toStored = storedAs[of.type];
      return { column, add: (line) => column.add(toStored(line[of.name] ?? null)) };
    });
  }

  add(line: EntryLine): void {
    this.size += 1;
    for (const { add } of this.#columns) add(line);
  }

  /** Writes column by column, so that other work can run between two. */
  *end(table: ParquetWriter, writer: ByteWriter): Generator<Uint8Array> {
    const startedAt = writer.offset;
    const chunks: RowGroup["columns"] = [];
    for (const { column } of this.#columns) {
      chunks.push(column.end(writer));
      yield taken(writer);
    }
    const length = BigInt(writer.offset - startedAt);
    const count = BigInt(this.size);
    table.row_groups.push({
      columns: chunks,
      total_byte_size: length,
      total_compressed_size: length,
      num_rows: count,
    });
    table.num_rows += count;
    this.size = 0;
  }
}

type Value = string | number | boolean | null;

const storedAs: Readonly<Record<ColumnType, (value: Value) => ColumnValue>> = {
  text: (value) => (value === null ? null : String(value)),
  moment: (value) => (value === null ? null : BigInt(Date.parse(String(value)))),
  whole: (value) => (value === null ? null : BigInt(value)),
  flag: (value) => value === true,
};

/** The bytes since the last call. */
function taken(writer: ByteWriter): Uint8Array {
  const bytes = writer.getBytes().slice();
  writer.index = 0;
  return bytes;
}
