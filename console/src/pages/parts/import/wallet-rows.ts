import { type LineFault, readCsv } from "../../../format/csv.ts";
import { fill, text } from "../../../text/text.ts";

/** A wallet as the API takes it. */
export type WalletRow = {
  blockchain: string;
  address: string;
  purpose: string;
  reference: string | null;
  label: string | null;
  from_block: number | null;
};

/** The rows of a file, their lines, and the faults of the file. */
export type WalletRows = { rows: WalletRow[]; lines: number[]; faults: LineFault[] };

/** The most wallets that the API adds at once. */
const most = 10_000;

const known = ["blockchain", "address", "purpose", "reference", "label", "from_block"];

/**
 * The wallets in a CSV text whose first line names the columns: blockchain, address, and any of the
 * others.
 */
export function readWalletRows(csv: string): WalletRows {
  const [head, ...body] = readCsv(csv);
  if (head === undefined) return { rows: [], lines: [], faults: [] };
  const names = head.cells.map((cell) => cell.toLowerCase());
  const unknown = names.filter((name) => !known.includes(name));
  const missing = ["blockchain", "address"].filter((name) => !names.includes(name));
  const faults = [
    ...unknown.map((name) => fill(text.import.unknownColumn, { name })),
    ...missing.map((name) => fill(text.import.missingColumn, { name })),
  ].map((message) => ({ line: head.line, message }));
  const read = body.map(({ line, cells }) => readRow(line, names, cells));
  return {
    rows: read.map(({ row }) => row),
    lines: read.map(({ line }) => line),
    faults: [...faults, ...tooMany(read.length), ...read.flatMap((one) => one.faults)],
  };
}

function tooMany(count: number): LineFault[] {
  if (count <= most) return [];
  return [{ line: 0, message: fill(text.import.tooMany, { count, most }) }];
}

function readRow(line: number, names: readonly string[], cells: readonly string[]) {
  const cellOf = (name: string) => cells[names.indexOf(name)] ?? "";
  const faults: LineFault[] = [];
  const refuse = (message: string) => faults.push({ line, message });
  if (cells.length > names.length) refuse(text.import.tooManyCells);
  if (!/^0x[0-9a-f]{40}$/i.test(cellOf("address"))) refuse(text.import.badAddress);
  const fromBlock = cellOf("from_block");
  if (!/^\d{0,15}$/.test(fromBlock)) refuse(text.import.badBlock);
  const textOf = (name: string) => (cellOf(name) === "" ? null : cellOf(name));
  const row: WalletRow = {
    blockchain: cellOf("blockchain"),
    address: cellOf("address"),
    purpose: textOf("purpose") ?? "deposit",
    reference: textOf("reference"),
    label: textOf("label"),
    from_block: fromBlock === "" ? null : Number(fromBlock),
  };
  return { row, line, faults };
}
