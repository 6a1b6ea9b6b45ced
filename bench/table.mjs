/** The lines as a table of text. */
export function table(lines) {
  const head = ["bench", "what", "ours", "baseline", "peer", "ratio", "to reach", "", "conditions"];
  const rows = lines.map((line) => [
    line.bench,
    line.name,
    withUnit(line.ours, line.unit),
    withUnit(line.baseline, line.unit),
    withUnit(line.peer, line.unit),
    line.ratio === null ? "" : line.ratio.toFixed(2),
    goalText(line),
    line.goal === null ? "" : isReached(line) ? "reached" : "not reached",
    line.conditions,
  ]);
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => row[column].length)),
  );
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function withUnit(value, unit) {
  return value === null ? "" : `${Number(value.toPrecision(3)).toLocaleString("en")} ${unit}`;
}

function goalText({ goal, unit }) {
  if (goal === null) return "";
  if ("oursAtMost" in goal) return `ours <= ${withUnit(goal.oursAtMost, unit)}`;
  return "atMost" in goal ? `<= ${goal.atMost}` : `>= ${goal.atLeast}`;
}

function isReached({ ours, ratio, goal }) {
  if ("oursAtMost" in goal) return ours <= goal.oursAtMost;
  return "atMost" in goal ? ratio <= goal.atMost : ratio >= goal.atLeast;
}
