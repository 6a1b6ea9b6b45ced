import { expect, test } from "vitest";
import { readCsv } from "../../../console/src/format/csv.ts";
import { readWalletRows } from "../../../console/src/pages/parts/import/wallet-rows.ts";
import { csvLine } from "../../../src/domain/csv.ts";

const address = "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc";

test("cells with commas, quotes and line breaks come back as they were", () => {
  const rows = [
    ["label", "reference"],
    ['a "shop", in\nLisbon', "customer-17"],
  ];
  expect(readCsv(rows.map(csvLine).join("")).map(({ cells }) => cells)).toEqual(rows);
});

test("rows are known by the lines that they begin in", () => {
  const read = readCsv('a,b\n\n"x\ny",1\r\nz,2\n');
  expect(read).toEqual([
    { line: 1, cells: ["a", "b"] },
    { line: 3, cells: ["x\ny", "1"] },
    { line: 5, cells: ["z", "2"] },
  ]);
});

test("wallets are read by the names of the first line, in any order", () => {
  const csv = `reference,address,blockchain,from_block\ncustomer-17,${address},ethereum,20000000\n,${address},base,`;
  const { rows, lines, faults } = readWalletRows(csv);
  expect(faults).toEqual([]);
  expect(lines).toEqual([2, 3]);
  const plain = { address, purpose: "deposit", label: null };
  expect(rows).toEqual([
    { ...plain, blockchain: "ethereum", reference: "customer-17", from_block: 20_000_000 },
    { ...plain, blockchain: "base", reference: null, from_block: null },
  ]);
});

test("every fault of a file is named with its line", () => {
  const { faults } = readWalletRows(`address,colour\n${address},red\n0x12,red\n${address},red,9`);
  expect(faults.map(({ line }) => line)).toEqual([1, 1, 3, 4]);
});

test("a file with more wallets than are added at once is refused as a whole", () => {
  const row = `\nethereum,${address}`;
  const faultsOf = (count: number) =>
    readWalletRows(`blockchain,address${row.repeat(count)}`).faults;
  expect(faultsOf(10_000)).toEqual([]);
  expect(faultsOf(10_001)).toEqual([
    { line: 0, message: "The file has 10001 wallets. At most 10000 are added at once." },
  ]);
});
