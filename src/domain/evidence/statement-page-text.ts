// The texts of a printed statement. Strangers write labels, references and memos.

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes a text for HTML, within an element or a quoted attribute. */
export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}

/** Escapes a stranger's text, and keeps its writing direction from affecting the text around it. */
export function isolated(text: string): string {
  return `<bdi>${escaped(text)}</bdi>`;
}

/**
 * A CSS string. All characters except letters and digits are escaped as numbers, so that none ends
 * it.
 */
export function cssText(text: string): string {
  const safe = [...text].map((sign) =>
    /[A-Za-z0-9]/.test(sign) ? sign : `\\${(sign.codePointAt(0) ?? 32).toString(16)} `,
  );
  return `"${safe.join("")}"`;
}

/**
 * A decimal in groups of three digits on both sides of the point. A line can only break between
 * groups. A copy of it is the plain decimal.
 */
export function grouped(decimal: string): string {
  const [, sign = "", whole = "", fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal) ?? [];
  if (whole === "") return escaped(decimal);
  const before = whole.match(/\d{1,3}(?=(?:\d{3})*$)/g) ?? [];
  const [first, ...after] = fraction.match(/\d{1,3}/g) ?? [];
  const spaced = (groups: readonly string[]) => groups.map((one) => `<i>${one}</i>`);
  const integer = `${sign}${spaced(before).join("<wbr>")}`;
  if (first === undefined) return integer;
  return [`${integer}.`, `<span>${first}</span>`, ...spaced(after)].join("<wbr>");
}

/**
 * Without it Chromium breaks a paragraph of two lines between them. The second line then stays with
 * the table.
 */
const wholeParagraphs = "section > p { break-inside: avoid; }\n";

/** Each sheet of a long table names the asset and its wallet, above the names of the columns. */
const namedSheets = `.entries .of th { width: auto; border: 0; font-size: 7.5pt; }
.entries col:nth-child(1) { width: 24%; }
.entries col:nth-child(2) { width: 12%; }
.entries col:nth-child(5) { width: 13%; }
`;

/**
 * The page's style. Each value must be a CSS string already. The style of form 1 stays as it is: a
 * page of it is given again byte for byte.
 */
export function pageStyle(
  { name, id, digest }: Record<"name" | "id" | "digest", string>,
  form: 1 | 2,
): string {
  return `@page {
  margin: 18mm 12mm 20mm;
  @top-left { content: ${name}; font: 7.5pt system-ui, sans-serif; }
  @bottom-left { content: "Statement " ${id} "\\a SHA-256 " ${digest}; font: 6pt system-ui, sans-serif; white-space: pre; }
  @bottom-right { content: "Page " counter(page) " of " counter(pages); font: 7.5pt system-ui, sans-serif; white-space: nowrap; }
}
* { box-sizing: border-box; }
body { font: 9pt/1.4 system-ui, sans-serif; color: #111; background: #fff; max-width: 200mm; margin: 0 auto; }
h1 { font-size: 16pt; margin: 0 0 4mm; }
h2 { font-size: 11pt; margin: 6mm 0 1mm; break-after: avoid; }
address { font-style: normal; margin: 0 0 4mm; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0 4mm; margin: 0; }
dt { color: #555; }
dd { margin: 0; overflow-wrap: anywhere; }
section > p { margin: 0 0 1mm; color: #333; font-size: 7.5pt; overflow-wrap: anywhere; break-after: avoid; }
table { width: 100%; border-collapse: collapse; table-layout: fixed; }
thead { display: table-header-group; }
th { text-align: left; font-weight: 600; border-bottom: 0.5pt solid #111; }
th, td { padding: 0.6mm 1mm; vertical-align: top; overflow-wrap: anywhere; }
tbody { break-inside: avoid; border-bottom: 0.25pt solid #bbb; }
bdi, code { overflow-wrap: anywhere; }
small { color: #555; }
i, span { font-style: normal; white-space: nowrap; font-variant-numeric: tabular-nums; }
i { padding-left: 0.15em; }
i:first-child { padding-left: 0; }
.entries th:nth-child(n + 3), .entries tr:first-child td:nth-child(n + 3), .balance td, .totals th:last-child, .totals td:last-child { text-align: right; }
.entries td:nth-child(n + 3), .balance td:nth-child(2) { font-size: 8pt; }
.entries tr:first-child td:nth-child(-n + 2) { font-size: 7pt; line-height: 1.6; }
.entries th:nth-child(1) { width: 24%; }
.entries th:nth-child(2) { width: 12%; }
.entries th:nth-child(5) { width: 13%; }
.entries td[colspan="5"] { padding-top: 0; font-size: 7pt; color: #333; }
.balance td, .balance td:first-child { font-weight: 600; }
.balance td:first-child { text-align: left; }
.ends { font-size: 7pt; }
.ends th:first-child { width: 20%; }
.totals th:nth-child(1), .totals th:nth-child(2) { width: 18%; }
.totals th:nth-child(3) { width: 22%; }
footer { break-inside: avoid; margin-top: 6mm; font-size: 7.5pt; color: #333; overflow-wrap: anywhere; }
@media screen { body { padding: 8mm; } }
${form === 1 ? "" : wholeParagraphs + namedSheets}`;
}
