import { ByteWriter, type ParquetWriter, type SchemaElement } from "hyparquet-writer";
import { writePageHeader } from "hyparquet-writer/src/datapage.js";
import { writeRleBitPackedHybrid } from "hyparquet-writer/src/encoding.js";

/** A chunk of a column, as the file's footer has it. */
type ColumnChunk = ParquetWriter["row_groups"][number]["columns"][number];

type Statistics = NonNullable<NonNullable<ColumnChunk["meta_data"]>["statistics"]>;

type PageHeader = Parameters<typeof writePageHeader>[1];

type Encoding = NonNullable<PageHeader["dictionary_page_header"]>["encoding"];

export type ColumnValue = string | bigint | boolean | null;

/**
 * The kind of values in a column. `repeated`: few values, so a dictionary pays. `distinct`: a
 * dictionary would have nearly all of them. `random`: also their bounds tell a reader nothing.
 */
export type ColumnValues = "repeated" | "distinct" | "random";

/** A dictionary has at most this many values of one group. Further ones are written plain. */
const mostInDictionary = 1_000;

/**
 * One column of a group of rows. Each value is encoded as it arrives, and not kept. The library
 * encodes a whole group at once, which takes twice the time and blocks the process.
 */
export class ParquetColumn {
  readonly #element: SchemaElement;
  readonly #values: ColumnValues;
  readonly #levels: Uint8Array;
  readonly #numbers: Int32Array;
  readonly #plain = new PlainValues();
  readonly #dictionary = new Map<ColumnValue, number>();
  #hasDictionary: boolean;
  #rows = 0;
  #present = 0;
  #least: bigint | undefined;
  #greatest: bigint | undefined;

  /** @param mostRows the most rows of a group */
  constructor(element: SchemaElement, values: ColumnValues, mostRows: number) {
    this.#element = element;
    this.#values = values;
    this.#levels = new Uint8Array(mostRows);
    this.#numbers = new Int32Array(mostRows);
    this.#hasDictionary = values === "repeated";
  }

  add(value: ColumnValue): void {
    this.#levels[this.#rows] = value === null ? 0 : 1;
    this.#rows += 1;
    if (value === null) return;
    if (typeof value === "boolean") this.#numbers[this.#present] = value ? 1 : 0;
    else if (this.#hasDictionary) this.#addToDictionary(value);
    else this.#addPlain(value);
    this.#present += 1;
  }

  #addPlain(value: string | bigint): void {
    this.#plain.add(value);
    if (typeof value === "string") return;
    if (this.#least === undefined || value < this.#least) this.#least = value;
    if (this.#greatest === undefined || value > this.#greatest) this.#greatest = value;
  }

  #addToDictionary(value: string | bigint): void {
    const known = this.#dictionary.get(value);
    if (known === undefined && this.#dictionary.size >= mostInDictionary) {
      this.#leaveDictionary();
      this.#addPlain(value);
      return;
    }
    const number = known ?? this.#dictionary.size;
    if (known === undefined) this.#dictionary.set(value, number);
    this.#numbers[this.#present] = number;
  }

  #leaveDictionary(): void {
    const values = [...this.#dictionary.keys()];
    for (const number of this.#numbers.subarray(0, this.#present)) {
      const value = values[number];
      if (typeof value === "string" || typeof value === "bigint") this.#addPlain(value);
    }
    this.#dictionary.clear();
    this.#hasDictionary = false;
  }

  /** Writes the rows since the last call as one page. Answers where they are. */
  end(writer: ByteWriter): ColumnChunk {
    const startedAt = writer.offset;
    const statistics = this.#statistics();
    const dictionaryAt = this.#dictionary.size === 0 ? undefined : BigInt(writer.offset);
    if (dictionaryAt !== undefined) this.#writeDictionary(writer);
    const pageAt = BigInt(writer.offset);
    const encoding = this.#writePage(writer);
    const size = BigInt(writer.offset - startedAt);
    const { name, type } = this.#element;
    const count = BigInt(this.#rows);
    this.#begin();
    return {
      file_offset: BigInt(startedAt),
      meta_data: {
        type: type ?? "BYTE_ARRAY",
        encodings: dictionaryAt === undefined ? [encoding] : ["PLAIN", encoding],
        path_in_schema: [name],
        codec: "UNCOMPRESSED",
        num_values: count,
        total_uncompressed_size: size,
        total_compressed_size: size,
        data_page_offset: pageAt,
        statistics,
        ...(dictionaryAt === undefined ? {} : { dictionary_page_offset: dictionaryAt }),
      },
    };
  }

  #begin(): void {
    this.#rows = 0;
    this.#present = 0;
    this.#plain.clear();
    this.#dictionary.clear();
    this.#hasDictionary = this.#values === "repeated";
    this.#least = undefined;
    this.#greatest = undefined;
  }

  #statistics(): Statistics {
    const nulls = { null_count: BigInt(this.#rows - this.#present) };
    if (this.#values === "random") return nulls;
    const [least, greatest] = this.#bounds();
    if (least === undefined || greatest === undefined) return nulls;
    return { ...nulls, min_value: least, max_value: greatest };
  }

  /**
   * The least and the greatest value. Texts are compared by their bytes. Plain values have no
   * bounds.
   */
  #bounds(): (bigint | Uint8Array | undefined)[] {
    if (this.#element.type !== "BYTE_ARRAY") {
      const numbers = [...this.#dictionary.keys()].filter((value) => typeof value === "bigint");
      for (const value of numbers) {
        if (this.#least === undefined || value < this.#least) this.#least = value;
        if (this.#greatest === undefined || value > this.#greatest) this.#greatest = value;
      }
      return [this.#least, this.#greatest];
    }
    const texts = [...this.#dictionary.keys()].map((value) => Buffer.from(String(value)));
    texts.sort(Buffer.compare);
    return [texts[0], texts.at(-1)];
  }

  #writeDictionary(writer: ByteWriter): void {
    const values = new PlainValues();
    for (const value of this.#dictionary.keys())
      if (typeof value === "string" || typeof value === "bigint") values.add(value);
    writePageHeader(writer, {
      type: "DICTIONARY_PAGE",
      uncompressed_page_size: values.bytes.length,
      compressed_page_size: values.bytes.length,
      dictionary_page_header: { num_values: this.#dictionary.size, encoding: "PLAIN" },
    });
    writer.appendBytes(values.bytes);
  }

  #writePage(writer: ByteWriter): Encoding {
    const levels = new ByteWriter();
    if (this.#element.repetition_type === "OPTIONAL")
      writeRleBitPackedHybrid(levels, this.#levels.subarray(0, this.#rows), 1);
    const { encoding, bytes } = this.#encoded();
    const size = levels.offset + bytes.length;
    writePageHeader(writer, {
      type: "DATA_PAGE_V2",
      uncompressed_page_size: size,
      compressed_page_size: size,
      data_page_header_v2: {
        num_values: this.#rows,
        num_nulls: this.#rows - this.#present,
        num_rows: this.#rows,
        encoding,
        definition_levels_byte_length: levels.offset,
        repetition_levels_byte_length: 0,
        is_compressed: false,
      },
    });
    writer.appendBytes(levels.getBytes());
    writer.appendBytes(bytes);
    return encoding;
  }

  #encoded(): { encoding: Encoding; bytes: Uint8Array } {
    const numbers = this.#numbers.subarray(0, this.#present);
    const packed = new ByteWriter();
    if (this.#element.type === "BOOLEAN") {
      writeRleBitPackedHybrid(packed, numbers, 1);
      const whole = new ByteWriter();
      whole.appendUint32(packed.offset);
      whole.appendBytes(packed.getBytes());
      return { encoding: "RLE", bytes: whole.getBytes() };
    }
    if (this.#dictionary.size === 0) return { encoding: "PLAIN", bytes: this.#plain.bytes };
    const width = Math.ceil(Math.log2(this.#dictionary.size));
    packed.appendUint8(width);
    writeRleBitPackedHybrid(packed, numbers, width);
    return { encoding: "RLE_DICTIONARY", bytes: packed.getBytes() };
  }
}

/** Values one after another: texts in UTF-8 after their length, and numbers of 64 bits. */
class PlainValues {
  #buffer = Buffer.allocUnsafeSlow(1_024);
  #length = 0;

  add(value: string | bigint): void {
    if (typeof value === "bigint") {
      this.#reserve(8);
      this.#length = this.#buffer.writeBigInt64LE(value, this.#length);
      return;
    }
    // A unit of UTF-16 has at most three bytes in UTF-8.
    this.#reserve(4 + 3 * value.length);
    const written = this.#buffer.write(value, this.#length + 4);
    this.#length = this.#buffer.writeUInt32LE(written, this.#length) + written;
  }

  #reserve(room: number): void {
    const needed = this.#length + room;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#buffer.length));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }

  /** Valid until the next value is added. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }
}
