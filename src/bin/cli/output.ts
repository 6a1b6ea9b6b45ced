/** The one document of a successful command. A list that was asked for whole has no cursor left. */
export function documentText(data: unknown): string {
  return `${JSON.stringify({ success: true, data })}\n`;
}

export function errorDocument(
  code: string,
  message: string,
  details: readonly object[] = [],
): string {
  const error = details.length === 0 ? { code, message } : { code, message, details };
  return `${JSON.stringify({ success: false, error })}\n`;
}

/** The same for people: a table of a list, else one line a field; what is in a field comes below it. */
export function peopleText(data: unknown): string {
  if (Array.isArray(data)) return tableText(data);
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

function isNested(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => typeof item === "object");
  return typeof value === "object" && value !== null;
}

function tableText(rows: unknown[]): string {
  const records = rows.filter((row) => typeof row === "object" && row !== null);
  const [first] = records;
  if (first === undefined) return "none\n";
  const columns = Object.keys(first);
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
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}
