import { shownJson, shownText } from "../../runtime/shown-text.ts";

/** The single document of a successful command. A list that was printed whole has no cursor. */
export function documentText(data: unknown): string {
  return `${shownJson(JSON.stringify({ success: true, data }))}\n`;
}

export function errorDocument(
  code: string,
  message: string,
  details: readonly object[] = [],
): string {
  const error = details.length === 0 ? { code, message } : { code, message, details };
  return `${shownJson(JSON.stringify({ success: false, error }))}\n`;
}

/** Most terminals break a wider table. */
const tableWidth = 160;

/**
 * The same answer for people. A list becomes a table, or rows below each other if the table would
 * be wider than 160 columns. Any other answer has a line for each field, with nested values below
 * it. So has a list of texts that is longer than that.
 */
export function peopleText(data: unknown): string {
  if (isLongList(data)) return data.map((item) => `${cellText(item)}\n`).join("");
  if (Array.isArray(data)) return listText(data);
  if (typeof data !== "object" || data === null) return `${cellText(data)}\n`;
  const entries = Object.entries(data);
  const width = Math.max(0, ...entries.map(([key]) => key.length));
  return entries
    .map(([key, value]) =>
      isNested(value)
        ? `${key}\n${indent(peopleText(value))}`
        : `${key.padEnd(width)}  ${cellText(value)}\n`,
    )
    .join("");
}

/** True for values that are no objects, and too many or too long for one line. */
function isLongList(value: unknown): value is unknown[] {
  if (!Array.isArray(value) || value.some((item) => typeof item === "object")) return false;
  return cellText(value).length > tableWidth;
}

function isNested(value: unknown): boolean {
  if (isLongList(value)) return true;
  if (Array.isArray(value)) return value.some((item) => typeof item === "object");
  return typeof value === "object" && value !== null;
}

function listText(rows: unknown[]): string {
  const records = rows.filter((row) => typeof row === "object" && row !== null);
  if (records.length === 0) return "none\n";
  const isFlat = !records.some((record) => Object.values(record).some(isNested));
  const table = isFlat ? tableText(records) : null;
  if (table?.split("\n").every((line) => line.length <= tableWidth)) return table;
  return records.map(peopleText).join("\n");
}

function tableText(records: readonly object[]): string {
  const columns = Object.keys(records[0] ?? {});
  const cells = records.map((row) => columns.map((column) => cellText(Reflect.get(row, column))));
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...cells.map((row) => row[index]?.length ?? 0)),
  );
  return [columns, ...cells]
    .map((row) => row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  "))
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (Array.isArray(value)) return value.map(cellText).join(", ") || "-";
  return shownText(typeof value === "object" ? JSON.stringify(value) : String(value));
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}
