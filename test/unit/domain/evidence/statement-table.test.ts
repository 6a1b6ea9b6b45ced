import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { expect, test } from "vitest";
import { statementIn } from "../../../../src/domain/evidence/statement-formats.ts";

const signed = { digest: "0a", signature: { keyId: "key", value: "value" } };

// More entries than a group has, and more values than a dictionary: that of `reference` is left in
// the second group, that of `label` never is.
const count = 12_345;

const labels = [null, "é\u{1F600}", "", "\uFFFF", "\u202Eשלום"];

function entryAt(place: number) {
  const isOpening = place % 7 === 0;
  const ofTransaction = <Value>(value: Value) => (isOpening ? null : value);
  return {
    address: `0xA${place % 3}`,
    amount: `-${place}.5`,
    amount_atomic: String((-10n) ** 77n + BigInt(place)),
    asset: "ETH",
    balance: String(place),
    block: 2 ** 40 + place,
    block_hash: ofTransaction(`0xb${place}`),
    blockchain: "ethereum",
    decimals: place % 2 === 0 ? 18 : 6,
    entry_id: String(place + 1),
    from: ofTransaction(`0xf${place % 1_001}`),
    kind: "confirmation",
    label: labels[place % labels.length] ?? null,
    line: "entry",
    memo: null,
    price_as_of: place % 5 === 0 ? null : new Date(2e12 + place).toISOString(),
    price_source: place % 5 === 0 ? null : "http",
    prior_period: place % 11 < 2,
    recorded_at: new Date(place).toISOString(),
    reference: place < 9_000 ? null : `reference ${place}`,
    since_block: place % 13 === 0 ? place : null,
    state: ofTransaction(place % 2 === 0 ? "completed" : "reversed"),
    time: ofTransaction(new Date(1e12 + place).toISOString()),
    to: ofTransaction("0xA0"),
    transaction_id: ofTransaction(`id ${place}`),
    tx_hash: ofTransaction(`0xc${place}`),
    type: "deposit",
    usd_value: place % 5 === 0 ? null : "2.5",
    wallet_id: "w",
  };
}

const head = { line: "statement", statement: 2 };

const entries = Array.from({ length: count }, (_, place) => entryAt(place));

async function tableOf(lines: readonly object[]): Promise<ArrayBuffer> {
  async function* texts() {
    for (let from = 0; from < lines.length; from += 100) {
      const some = lines.slice(from, from + 100).map((line) => `${JSON.stringify(line)}\n`);
      yield some.join("");
    }
  }
  const parts: Uint8Array[] = [];
  for await (const part of statementIn("parquet", signed, texts()))
    if (typeof part !== "string") parts.push(part);
  return new Uint8Array(Buffer.concat(parts)).buffer;
}

test("Parquet of several groups has every value, whichever way it is encoded", async () => {
  const file = await tableOf([head, ...entries, { line: "count" }]);
  const rows = await parquetReadObjects({ file });
  const shown = (_: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value);
  expect(rows.map((row) => JSON.parse(JSON.stringify(row, shown)))).toEqual(
    entries.map(({ line: _, entry_id, ...entry }) => ({ ...entry, entry_id: Number(entry_id) })),
  );
});

test("a reader is told what a group has at least and at most, and how many nulls", async () => {
  const { row_groups: groups, num_rows: rows } = parquetMetadata(await tableOf([head, ...entries]));
  expect(rows).toBe(BigInt(count));
  const told = (name: string) =>
    groups.map(({ columns }) => {
      const of = columns.find(({ meta_data: data }) => data?.path_in_schema[0] === name);
      const { min_value, max_value, null_count } = of?.meta_data?.statistics ?? {};
      return [min_value, max_value, Number(null_count)];
    });
  const blocks = [0, 9_999, 10_000, count - 1].map((place) => BigInt(2 ** 40 + place));
  expect(told("block")).toEqual([
    [...blocks.slice(0, 2), 0],
    [...blocks.slice(2), 0],
  ]);
  expect(told("decimals")[0]).toEqual([6n, 18n, 0]);
  const times = [0, 1, 10_000, count - 1].map((place) => new Date(1e12 + place));
  expect(told("time").map(([least]) => least)).toEqual([times[1], times[2]]);
  expect(told("label")[0]).toEqual(["", "\uFFFF", 2_000]);
  expect(told("memo")[0]).toEqual([undefined, undefined, 10_000]);
  expect(told("amount")[0]).toEqual([undefined, undefined, 0]);
});

test("Parquet of no entry is a file of no row", async () => {
  const file = await tableOf([head]);
  expect(await parquetReadObjects({ file })).toEqual([]);
});
