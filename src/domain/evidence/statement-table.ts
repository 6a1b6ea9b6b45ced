import { ByteWriter, ParquetWriter, type SchemaElement } from "hyparquet-writer";
import { isTurnOver, nextTurn } from "../in-slices.ts";
import { keysOf } from "../keys-of.ts";
import { canonicalJson } from "./canonical-json.ts";
import { type ColumnValue, type ColumnValues, ParquetColumn } from "./parquet-column.ts";
import type { StatementLine } from "./statement-lines.ts";
import type { SignedBy } from "./statement-page.ts";

type LineOf<Name extends StatementLine["line"]> = Extract<StatementLine, { line: Name }>;

type EntryLine = LineOf<"entry">;

/**
 * A column's type in Parquet. `text` is UTF-8, `moment` milliseconds in UTC, `whole` 64 bits.
 * A decimal is a text: the widest type of readers has 38 digits, and an amount may have 78.
 */
type ColumnType = "text" | "moment" | "whole" | "flag";

type Column = {
  type: ColumnType;
  /** Absent: every entry has a value. */
  nullable?: true;
  /** Absent: `repeated`. */
  values?: ColumnValues;
};

const columns: Readonly<Record<keyof Omit<EntryLine, "line">, Column>> = {
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

const names = keysOf(columns);

function elementOf(name: keyof typeof columns): SchemaElement {
  const { type, nullable } = columns[name];
  return { name, ...stored[type], repetition_type: nullable === true ? "OPTIONAL" : "REQUIRED" };
}

const schema = [{ name: "statement", num_children: names.length }, ...names.map(elementOf)];

/**
 * Entries that are held in memory at once. Readers are slow with row groups of less, and what a
 * group writes at its end takes 5 ms.
 */
const groupSize = 10_000;

/**
 * The entries of a statement as a file of Parquet, one row each, in constant memory. The file's
 * metadata has the statement's head, its digest and its signature. The same lines give the same
 * bytes.
 */
export async function* statementTable(
  { digest, signature }: SignedBy,
  lines: AsyncIterable<Iterable<StatementLine>>,
): AsyncGenerator<Uint8Array> {
  const writer = new ByteWriter();
  const table = new ParquetWriter({ writer, schema, createdBy: "chainbell" });
  const group = new EntryGroup();
  let head: LineOf<"statement"> | null = null;
  for await (const some of lines) {
    for (const line of some) {
      if (isTurnOver()) await nextTurn();
      if (line.line === "statement") head = line;
      if (line.line !== "entry") continue;
      group.add(line);
      if (group.size === groupSize) yield* group.end(table, writer);
    }
  }
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

type RowGroup = ParquetWriter["row_groups"][number];

class EntryGroup {
  size = 0;
  readonly #columns = names.map((name) => {
    const { type, values = "repeated" } = columns[name];
    const column = new ParquetColumn(elementOf(name), values, groupSize);
    const toStored = storedAs[type];
    return { column, add: (line: EntryLine) => column.add(toStored(line[name])) };
  });

  add(line: EntryLine): void {
    this.size += 1;
    for (const { add } of this.#columns) add(line);
  }

  /** Column by column: other work of the process may take its turn between two. */
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
