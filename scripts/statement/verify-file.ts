import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { compareCsv, compareHtml, compareParquet, linesIn } from "./compare.ts";
import { linesOfCsv } from "./read-csv.ts";
import { type Verdict, verifyStatement } from "./verify.ts";
import { verifyPdf } from "./verify-pdf.ts";

/**
 * Verifies a file of a statement in any of its forms. JSON Lines and CSV are added up by themselves.
 * With `against`, the JSON Lines that were signed, these are verified, and the file is held against
 * them field by field. A page of HTML needs them. Of a PDF the signature at its end is verified.
 */
export async function verifyFile(asked: {
  file: string;
  against: string | null;
  key: string | null;
}): Promise<Verdict> {
  const { file, against, key } = asked;
  const form = await formOf(file);
  if (against !== null) {
    const verdict = await verifyStatement(linesIn(against), key);
    const say = (what: string) => verdict.wrong.push(what);
    if (form === "html") await compareHtml(file, against, say);
    else if (form === "csv") await compareCsv(file, against, say);
    else if (form === "parquet") await compareParquet(file, against, say);
    else if (form === "pdf") await verifyPdf(asked, say);
    else await compareLines(file, against, say);
    return verdict;
  }
  if (form === "jsonl") return verifyStatement(linesIn(file), key);
  if (form !== "csv") {
    const missing = ["the statement that was signed, as JSON Lines (--against)"];
    const wrong: string[] = [];
    if (form === "pdf") await verifyPdf(asked, (what) => wrong.push(what));
    return { entries: 0, holdings: 0, wrong, missing };
  }
  const wrong: string[] = [];
  const rows = linesOfCsv(createReadStream(file), (what) => wrong.push(what));
  const verdict = await verifyStatement(known(rows), key);
  return { ...verdict, wrong: [...wrong, ...verdict.wrong] };
}

/** A row that is no line is no line of the statement either. */
async function* known(rows: AsyncIterable<string | null>): AsyncGenerator<string> {
  for await (const row of rows) yield row ?? "";
}

async function compareLines(file: string, against: string, say: (what: string) => void) {
  const others = linesIn(against)[Symbol.asyncIterator]();
  let number = 0;
  for await (const line of linesIn(file)) {
    number += 1;
    if ((await others.next()).value !== line) say(`line ${number} is not that of the statement`);
  }
  if ((await others.next()).done !== true) say(`the statement has more than ${number} lines`);
}

type Form = "jsonl" | "csv" | "html" | "parquet" | "pdf";

/** By its first signs. */
async function formOf(path: string): Promise<Form> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    const first = buffer.toString("latin1", 0, bytesRead);
    if (first === "PAR1") return "parquet";
    if (first === "%PDF") return "pdf";
    return first.startsWith("{") ? "jsonl" : first.startsWith("<") ? "html" : "csv";
  } finally {
    await file.close();
  }
}
