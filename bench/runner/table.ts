import type { Goal, NamedLine } from "./line.ts";

/** The lines as a table of text. Columns in which no line has anything are left out. */
export function tableOf(lines: readonly NamedLine[], against: string | null): string {
  const columns: [head: string, cell: (line: NamedLine) => string][] = [
    ["bench", (line) => line.bench],
    ["what", (line) => line.name],
    ["ours", (line) => withUnit(line.ours, line.unit)],
    ["bare floor", (line) => withUnit(line.baseline, line.unit)],
    ["durable floor", (line) => withUnit(line.durable, line.unit)],
    ["peer", (line) => withUnit(line.peer, line.unit)],
    ["ratio", (line) => line.ratio?.toFixed(2) ?? ""],
    ["to reach", goalText],
    [
      "",
      ({ goal, ...line }) =>
        goal === null ? "" : isReached(line, goal) ? "reached" : "not reached",
    ],
    [against ?? "", (line) => withUnit(line.against, line.unit)],
    [
      `ours / ${against}`,
      ({ ours, against: other }) => (other === null ? "" : (ours / other).toFixed(2)),
    ],
    ["conditions", (line) => line.conditions],
  ];
  const texts = columns
    .map(([head, cell]) => [head, ...lines.map(cell)])
    .filter(([, ...cells]) => cells.some((cell) => cell !== ""));
  const widths = texts.map((column) => Math.max(...column.map((cell) => cell.length)));
  const rows = Array.from({ length: lines.length + 1 }, (_, row) =>
    texts
      .map((column, at) => (column[row] ?? "").padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return rows.join("\n");
}

/** A figure with three digits and its unit; empty where there is none. */
export function withUnit(value: number | null, unit: string): string {
  return value === null ? "" : `${Number(value.toPrecision(3)).toLocaleString("en")} ${unit}`;
}

/** What is to be reached, of the ratio or of our figure; empty where the line only informs. */
export function goalText({ goal, unit }: NamedLine): string {
  if (goal === null) return "";
  if ("oursAtMost" in goal) return `ours <= ${withUnit(goal.oursAtMost, unit)}`;
  return "atMost" in goal ? `<= ${goal.atMost}` : `>= ${goal.atLeast}`;
}

export function isReached({ ours, ratio }: Omit<NamedLine, "goal">, goal: Goal): boolean {
  if ("oursAtMost" in goal) return ours <= goal.oursAtMost;
  if (ratio === null) return false;
  return "atMost" in goal ? ratio <= goal.atMost : ratio >= goal.atLeast;
}
