import { describe, expect, it } from "vitest";
import {
  type CreditLine,
  type CreditTexts,
  parseCredit,
} from "../../../../src/domain/credits/credit.ts";
import {
  type CreditFormat,
  mostCharacters,
  readCredits,
} from "../../../../src/domain/credits/read-credits.ts";
import { csvCells } from "../../../../src/domain/csv.ts";

const good: CreditTexts = {
  transaction_id: "01A20098-8FC0-8000-8000-02911919B011",
  asset: "ETH",
  amount: "001.50",
  reference: "c-1",
  credited_at: "2026-01-02T12:00:00Z",
};

async function read(format: CreditFormat, text: string, size = 7): Promise<CreditLine[]> {
  const bytes = new TextEncoder().encode(text);
  async function* chunks() {
    for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
  }
  const lines: CreditLine[] = [];
  for await (const batch of readCredits(chunks(), format)) lines.push(...batch);
  return lines;
}

it("a credit is read as it will be compared", () => {
  expect(parseCredit(good)).toMatchObject({
    kind: "credit",
    credit: {
      transactionId: "01a20098-8fc0-8000-8000-02911919b011",
      amount: "1.5",
      creditedAt: new Date("2026-01-02T12:00:00.000Z"),
      txHash: null,
    },
  });
});

it.each([`${2n ** 256n - 1n}`, `0.${"0".repeat(76)}1`, `${"9".repeat(78)}.${"9".repeat(77)}`])(
  "an amount may be as long as the ledger's: %s",
  (amount) => {
    expect(parseCredit({ ...good, amount })).toMatchObject({ kind: "credit", credit: { amount } });
  },
);

const hash = `0x${"Ab".repeat(32)}`;
const mistyped = `0x${"Ab".repeat(20)}`;

it.each<[CreditTexts, string]>([
  [{ reference: "", amount: "" }, "amount, reference: missing"],
  [{ transaction_id: "" }, "transaction_id: missing, and so is tx_hash with wallet_id or address"],
  [{ transaction_id: "", tx_hash: hash }, "transaction_id: missing, and so is tx_hash"],
  [{ transaction_id: "no" }, "transaction_id: expected a UUID"],
  [{ transaction_id: "", tx_hash: "0x12", wallet_id: "x" }, "tx_hash: expected 0x"],
  [{ transaction_id: "", tx_hash: hash, address: "0x1" }, "address: '0x1' is not an address"],
  [{ transaction_id: "", tx_hash: hash, address: mistyped }, "has a wrong EIP-55 checksum"],
  [{ amount: "-1" }, "amount: expected a decimal above 0"],
  [{ amount: "0.00" }, "amount: expected a decimal above 0"],
  [{ amount: "1e3" }, "amount: expected a decimal above 0"],
  [{ amount: "1,5" }, "amount: expected a decimal above 0"],
  [{ credited_at: "2026-01-02 12:00" }, "credited_at: expected an ISO 8601 time"],
  [{ credited_at: "2026-01-02T12:00:00" }, "credited_at: expected an ISO 8601 time"],
  [{ credited_at: "2026-02-30T12:00:00Z" }, "credited_at: expected an ISO 8601 time"],
  [{ credited_at: "2026-02-20T25:00:00Z" }, "credited_at: expected an ISO 8601 time"],
  [{ reference: "a\u0000b" }, "reference: expected 1 to 200 characters"],
])("what is wrong with %j", (fields, problem) => {
  const parsed = parseCredit({ ...good, ...fields });
  expect(parsed).toMatchObject({
    kind: "problem",
    problem: { sentence: expect.stringContaining(problem) },
  });
});

it.each<[string, string[] | null]>([
  ["a,b,", ["a", "b", ""]],
  ['"a,b",c', ["a,b", "c"]],
  ['"a""b",""', ['a"b', ""]],
  ['a,"b', null],
  ['a"b,c', null],
  ['"a"b,c', null],
  ["", [""]],
  ['"",x', ["", "x"]],
])("the cells of %j", (line, cells) => {
  expect(csvCells(line)).toEqual(cells);
});

describe("a file is read line by line", () => {
  const row = `${good.transaction_id},ETH,1.5,"c, ä",2026-01-02T12:00:00Z`;
  const header = "transaction_id,asset,amount,reference,credited_at";

  it.each([1, 7, 100_000])("in pieces of %i bytes, whatever ends a line", async (size) => {
    const lines = await read("csv", `\uFEFF${header}\r\n${row}\r\n\r\nnonsense\n${row}`, size);
    expect(lines.map(({ line, kind }) => `${line} ${kind}`)).toEqual([
      "2 credit",
      "4 malformed",
      "5 credit",
    ]);
    expect(lines[0]).toMatchObject({ credit: { reference: "c, ä" } });
    expect(lines[1]).toMatchObject({
      text: "nonsense",
      problem: { code: "cells", values: { expected: 5, found: 1 } },
    });
  });

  it.each<[BufferEncoding, string]>([
    ["latin1", "the line is not in UTF-8"],
    ["utf16le", "it is not in UTF-8"],
  ])("and not in %s", async (encoding, problem) => {
    async function* chunks() {
      yield Buffer.from(`${header}\n${row}\n`, encoding);
    }
    const lines = (async () => {
      for await (const batch of readCredits(chunks(), "csv")) return batch;
      return [];
    })();
    if (encoding === "utf16le") await expect(lines).rejects.toThrow(problem);
    else expect(await lines).toMatchObject([{ kind: "malformed", problem: { sentence: problem } }]);
  });

  it.each([
    ["[1]", "expected a JSON object"],
    ["{", "expected a JSON object"],
    [JSON.stringify({ ...good, amount: 1.5 }), "amount: expected a text"],
    [JSON.stringify({ ...good, colour: "red" }), "colour: there is no such field"],
  ])("of JSON %s", async (text, problem) => {
    const [, line] = await read("jsonl", `${JSON.stringify(good)}\n${text}\n`);
    expect(line).toMatchObject({
      line: 2,
      text,
      problem: { sentence: expect.stringContaining(problem) },
    });
  });

  it.each([
    ["\0\u0085", "\uFFFD\uFFFD"],
    ["\ud83d", "\uFFFD"],
    ["x".repeat(9_000), "x".repeat(80)],
    // Half of the last character would be no text.
    [`${"x".repeat(79)}\u{1F600}`, `${"x".repeat(79)}\u{1F600}`],
    [`${"x".repeat(80)}\u{1F600}`, "x".repeat(80)],
  ])("and what is wrong with %j can be stored and shown", async (given, shown) => {
    const problemsOf = (fields: CreditTexts) => {
      const parsed = parseCredit({ ...good, ...fields });
      return parsed.kind === "problem" ? parsed.problem.values : null;
    };
    expect(problemsOf({ address: given })).toEqual({ field: "address", address: shown });
    const [line] = await read("jsonl", JSON.stringify({ [given]: "" }), 1_000);
    expect(line).toMatchObject({ problem: { code: "unknown_field", values: { field: shown } } });
  });

  it.each<[CreditFormat, string, string]>([
    ["csv", "", "there is none"],
    ["csv", "transaction_id,colour\n", "there is no column 'colour'"],
    ["csv", "asset,asset\n", "a column is named twice"],
    ["csv", "transaction_id;asset;amount\n", "commas must separate them"],
    ["csv", "transaction_id,a\u0007b\n", "there is no column 'a\uFFFDb'"],
    ["jsonl", `${JSON.stringify(good)}\n${"x".repeat(mostCharacters + 1)}`, "Line 2 has more than"],
  ])("nothing of %s is read from %.40s", async (format, text, message) => {
    await expect(read(format, text, 1_000)).rejects.toThrow(message);
  });

  it("of so many bytes together, however few lines they are", async () => {
    const readAll = async (bytes: number) => {
      async function* chunks() {
        for (let left = bytes; left > 0; left -= 10) yield Buffer.alloc(Math.min(10, left), " ");
      }
      for await (const batch of readCredits(chunks(), "jsonl", 1_000)) return batch;
      return [];
    };
    expect(await readAll(1_000)).toEqual([]);
    await expect(readAll(1_001)).rejects.toThrow("more than 1000 bytes");
  });

  it("in batches of few long lines", async () => {
    async function* chunks() {
      for (let line = 0; line < 200; line += 1) yield Buffer.from(`${"x".repeat(9_000)}\n`);
    }
    const sizes: number[] = [];
    for await (const batch of readCredits(chunks(), "jsonl")) sizes.push(batch.length);
    expect(Math.max(...sizes)).toBeLessThan(100);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(200);
  });
});
