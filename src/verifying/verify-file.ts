import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { fileFault } from "../domain/file-fault.ts";
import { compareCsv, compareHtml, compareLines, compareParquet, linesIn } from "./compare.ts";
import { linesOfCsv } from "./read-csv.ts";
import { type Verdict, verifyStatement } from "./verify.ts";
import { verifyPdf } from "./verify-pdf.ts";

type Asked = { file: string; against: string | null; key: string | null };

/**
 * Verifies a file of a statement in any of its forms. Adds JSON Lines and CSV up on their own. With
 * `against`, verifies those signed JSON Lines, and compares the file with them field by field. A
 * page of HTML needs `against`. Of a PDF, verifies the signature at its end.
 * @throws Fault `invalid_request` if one of the files cannot be read
 */
export async function verifyFile(asked: Asked): Promise<Verdict> {
  const { file, against, key } = asked;
  const form = await formOf(file);
  if (against !== null) {
    await formOf(against);
    return verifyAgainst(asked, against, form);
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

async function verifyAgainst(asked: Asked, against: string, form: Form): Promise<Verdict> {
  const { file, key } = asked;
  const verdict = await verifyStatement(linesIn(against), key);
  const say = (what: string) => verdict.wrong.push(what);
  if (form === "pdf") await verifyPdf(asked, say);
  // Nothing is compared with lines that are wrong themselves.
  else if (verdict.wrong.length > 0)
    verdict.missing.push(`a right statement to hold ${file} against`);
  else if (form === "html") await compareHtml(file, against, say);
  else if (form === "csv") await compareCsv(file, against, say);
  else if (form === "parquet") await compareParquet(file, against, say);
  else await compareLines(file, against, say);
  return verdict;
}

/** Replaces a row that is not a line by an empty text, which is no line of the statement either. */
async function* known(rows: AsyncIterable<string | null>): AsyncGenerator<string> {
  for await (const row of rows) yield row ?? "";
}

type Form = "jsonl" | "csv" | "html" | "parquet" | "pdf";

/** Finds the form by the first characters of the file. */
async function formOf(path: string): Promise<Form> {
  const first = await firstSigns(path).catch((cause: unknown) => {
    throw fileFault(path, "read", cause);
  });
  if (first === "PAR1") return "parquet";
  if (first === "%PDF") return "pdf";
  return first.startsWith("{") ? "jsonl" : first.startsWith("<") ? "html" : "csv";
}

async function firstSigns(path: string): Promise<string> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.toString("latin1", 0, bytesRead);
  } finally {
    await file.close();
  }
}
