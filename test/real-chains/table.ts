import type { Row } from "./judge.ts";

const columns = [
  "sample",
  "chain",
  "hash",
  "roots",
  "receipts",
  "decode",
  "traces",
  "fee",
] as const;

/** The rows as a Markdown table, padded so that it also reads well in a terminal. */
export function tableOf(rows: readonly Row[]): string {
  const cells = rows.map((row) => columns.map((column) => String(row[column])));
  const titles: string[] = [...columns];
  const widths = titles.map((title, at) =>
    Math.max(title.length, ...cells.map((line) => line[at]?.length ?? 0)),
  );
  const line = (texts: readonly string[]) =>
    `| ${texts.map((text, at) => text.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  const rule = line(widths.map((width) => "-".repeat(width)));
  return [line(titles), rule, ...cells.map(line)].join("\n");
}
