// CSV as every export writes it: docs/contract.md#csv.

/**
 * The places of a text at which some spreadsheet would run a formula, or see an apostrophe. They
 * are its beginning, and after a semicolon or a tab. A spreadsheet may separate cells by these, and
 * then takes no notice of quotes in the middle of a cell.
 */
const formula = /(?<=^|[;\t])(?=[=+\-@\t\r\n'\uFF0B\uFF0D\uFF1D\uFF20])/g;

const decimal = /^-?\d+(\.\d+)?$/;

/** A spreadsheet reads such a text as a number. */
const numeric = /^-?[\d.]+(e[+-]?\d+)?$/i;

/**
 * A text that needs no change, like nearly all texts of a statement. It begins with a word, hex or
 * a date, so it is neither a formula nor a number.
 */
const plain = /^(?:[a-z]|0x|\d{4}-)[^",;\t\r\n\0]*$/i;

/**
 * A spreadsheet keeps this many significant digits. It shows a number with more decimals as a power
 * of ten: LibreOffice writes 1E-018 for one wei.
 */
const keptDigits = 15;

/**
 * One line of CSV (RFC 4180), with its line break. Null is an empty cell.
 *
 * Strangers write labels and references. So a text that a spreadsheet would run as a formula gets
 * an apostrophe before it. So does a text that begins with an apostrophe. The same holds
 * after each semicolon and tab, at which a spreadsheet may begin a cell. A reader
 * that removes one apostrophe at each of these places has the original text. A decimal is never
 * changed. Digits that a spreadsheet
 * would lose are quoted: a long amount, or a leading zero. U+0000, at which many readers end a
 * text, becomes U+FFFD.
 */
export function csvLine(cells: readonly (string | null)[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(text: string | null): string {
  if (text === null || text === "") return "";
  if (plain.test(text)) return text;
  const whole = text.includes("\0") ? text.replaceAll("\0", "\uFFFD") : text;
  const safe = decimal.test(whole) ? whole : whole.replace(formula, "'");
  return /[",\r\n]/.test(safe) || losesDigits(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function losesDigits(text: string): boolean {
  if (!numeric.test(text)) return false;
  const isCanonical = /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text);
  return !isCanonical || text.replace(/[-.]/g, "").length > keptDigits;
}

/**
 * The cells of one line of CSV (RFC 4180) without its line break. Quotes around a cell are removed.
 * Null: a quote is not closed, or is in the middle of a cell. A line break within quotes is not
 * supported: each record is one line.
 */
export function csvCells(line: string): string[] | null {
  if (!line.includes('"')) return line.split(",");
  const cells: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;
  for (;;) {
    const found = cell.exec(line);
    if (found === null) return null;
    const [, quoted, plain = "", end] = found;
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end !== ",") return cells;
  }
}
