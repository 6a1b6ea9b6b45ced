/** A fault in a line of a file. Lines count from 1, as in editors; 0 is the whole file. */
export type LineFault = { line: number; message: string };

/** The rows of a CSV text, each with the line that it begins in. Empty lines are left out. */
export function readCsv(text: string): { line: number; cells: string[] }[] {
  const rows: { line: number; cells: string[] }[] = [];
  let cells: string[] = [];
  let line = 1;
  let begins = 1;
  const end = () => {
    if (cells.some((cell) => cell !== "")) rows.push({ line: begins, cells });
    cells = [];
    begins = line;
  };
  // A cell in quotes or without, and what ends it.
  for (const [, quoted, bare, stop = ""] of text
    .replace(/^\uFEFF/, "")
    .matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    cells.push((quoted?.replaceAll('""', '"') ?? bare ?? "").trim());
    line += (quoted ?? "").split("\n").length - 1 + (stop.includes("\n") ? 1 : 0);
    if (stop !== ",") end();
  }
  return rows;
}
