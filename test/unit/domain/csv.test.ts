import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { csvLine } from "../../../src/domain/csv.ts";

const uint256 = `${2n ** 256n - 1n}`;
const rightToLeft = "\u202Eمتجر \u2066x\u2069";

/** A cell, and what is written of it. */
const cases: [string | null, string][] = [
  [null, ""],
  ["", ""],
  ["a shop", "a shop"],
  ['a "shop", in\r\nLisbon', '"a ""shop"", in\r\nLisbon"'],
  ["=HYPERLINK(1)", "'=HYPERLINK(1)"],
  ['=A1&","', `"'=A1&"","""`],
  ["+351 21", "'+351 21"],
  ["-cmd", "'-cmd"],
  ["-1+1", "'-1+1"],
  ["-", "'-"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\t=1", "'\t'=1"],
  ["shop;=1+1;", "shop;'=1+1;"],
  ["shop; =1", "shop; =1"],
  ["a\t@SUM(A1)", "a\t'@SUM(A1)"],
  ["=1;'=2;'", "'=1;''=2;''"],
  ["a;-1.5", "a;'-1.5"],
  ["\r=1", `"'\r=1"`],
  ["\n=1", `"'\n=1"`],
  ["＝1", "'＝1"],
  ["＋1", "'＋1"],
  ["－1", "'－1"],
  ["＠A", "'＠A"],
  ["'quoted", "''quoted"],
  ["it's =1", "it's =1"],
  [rightToLeft, rightToLeft],
  ["cut\0off", "cut\uFFFDoff"],
  ["\0=1", "\uFFFD=1"],
  ["0", "0"],
  ["1.5", "1.5"],
  ["-1.5", "-1.5"],
  ["123456789012345", "123456789012345"],
  ["1234567890123456", '"1234567890123456"'],
  ["0.000000000000000001", '"0.000000000000000001"'],
  ["1.000000000000000001", '"1.000000000000000001"'],
  ["-1.000000000000000001", '"-1.000000000000000001"'],
  [uint256, `"${uint256}"`],
  [`-${uint256}`, `"-${uint256}"`],
  ["0017", '"0017"'],
  ["1e5", '"1e5"'],
  ["1.2.3", '"1.2.3"'],
  ["0x00ab", "0x00ab"],
];

test.each(cases)("%j is written as %j", (cell, written) => {
  expect(csvLine([cell])).toBe(`${written}\r\n`);
});

test("a reader has every text again, but for U+0000", () => {
  const cells = cases.map(([cell]) => cell ?? "");
  const read: string[][] = parse(csvLine(cells));
  const plain = read[0]?.map((cell) => cell.replace(/(?<=^|[;\t])'/g, ""));
  expect(plain).toEqual(cells.map((cell) => cell.replace("\0", "\uFFFD")));
});

test("a line has its cells in order, and ends with CR LF", () => {
  expect(csvLine(["a", null, "b,c", "-2"])).toBe('a,,"b,c",-2\r\n');
});
