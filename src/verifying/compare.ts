import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { z } from "zod";
import { statementIn } from "../domain/evidence/statement-formats.ts";
import { Fault } from "../domain/fault.ts";
import { linesOfCsv } from "./read-csv.ts";

// Compares a table or a page of a statement with the signed lines. Names the place of each
// difference.

/** The lines of a file of JSON Lines. Only a line feed ends a line. */
export async function* linesIn(file: string): AsyncGenerator<string> {
  let before: string | null = null;
  for await (const line of rawLines(createReadStream(file))) {
    if (before !== null) yield before;
    before = line.replace(/\r$/, "");
  }
  if (before !== null && before !== "") yield before;
}

/** The most differences that are named. One added line moves all lines after it. */
const most = 100;

type Say = (what: string) => void;

/** Names each field of a table that differs from the statement. */
export async function compareCsv(csv: string, statement: string, say: Say): Promise<void> {
  const limited = limitOf(say);
  await compareRows(linesOfCsv(createReadStream(csv), limited), statement, limited);
}

/** Names each field of JSON Lines that differs from the statement. */
export async function compareLines(file: string, statement: string, say: Say): Promise<void> {
  await compareRows(linesIn(file), statement, limitOf(say));
}

/** @param rows the lines of the file; null: a line that was already reported */
async function compareRows(
  rows: AsyncIterable<string | null>,
  statement: string,
  say: Say,
): Promise<void> {
  let number = 0;
  for await (const [row, line] of inStep<string | null>(rows, linesIn(statement))) {
    number += 1;
    if (row === undefined) say(`line ${number} is missing: ${line}`);
    else if (line === undefined) say(`line ${number} is not in the statement: ${row}`);
    else if (row !== null && line !== null && row !== line)
      for (const what of differencesOf(row, line)) say(`line ${number}: ${what}`);
  }
}

function differencesOf(row: string, line: string): string[] {
  const [given, signed] = [fieldsIn(row), fieldsIn(line)];
  if (given === null || signed === null) return ["it is no line of a statement"];
  const names = new Set([...signed.keys(), ...given.keys()]);
  const differences = [...names].flatMap((name) => {
    const [one, other] = [given.get(name), signed.get(name)];
    return one === other
      ? []
      : [`${name} is ${one ?? "missing"}, and was signed as ${other ?? "nothing"}`];
  });
  return differences.length > 0 ? differences : ["it is written otherwise than it was signed"];
}

/** Each field with its value as JSON. Null: the line is not an object. */
function fieldsIn(line: string): Map<string, string> | null {
  const value = parsed(line);
  if (typeof value !== "object" || value === null) return null;
  return new Map(Object.entries(value).map(([name, one]) => [name, JSON.stringify(one)]));
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/**
 * Names each line of a page that differs from the page that this release makes of the statement.
 */
export async function compareHtml(html: string, statement: string, say: Say): Promise<void> {
  const limited = limitOf(say);
  const page = await madeOf("html", statement);
  let number = 0;
  for await (const [given, made] of inStep(rawLines(createReadStream(html)), rawLines(page))) {
    number += 1;
    if (given !== made)
      limited(`line ${number} of the page is ${shown(given)}, and of the statement ${shown(made)}`);
  }
}

/** Reports if a Parquet table differs from the one that this release makes of the statement. */
export async function compareParquet(file: string, statement: string, say: Say): Promise<void> {
  const table = await madeOf("parquet", statement);
  const [given, made] = [await digestOf(createReadStream(file)), await digestOf(table)];
  if (given !== made)
    say("the table is another one than this release of Chainbell makes of the statement");
}

async function digestOf(parts: AsyncIterable<string | Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const part of parts) hash.update(part);
  return hash.digest("hex");
}

const shown = (line: string | undefined) => (line === undefined ? "missing" : `'${line}'`);

function limitOf(say: Say): Say {
  let said = 0;
  return (what) => {
    said += 1;
    if (said <= most) say(what);
    if (said === most) say("more differences are not named");
  };
}

async function* broken(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}

/** The fields of the first and the last line that concern the whole statement. */
export type SignedStatement = {
  id: string;
  digest: string;
  signature: { keyId: string; value: string };
};

const firstLine = z.object({ id: z.string() });

const lastLine = z.object({
  digest: z.string(),
  signature: z.object({ key_id: z.string(), value: z.string() }),
});

/**
 * Reads the id in the first line, and the digest and the signature in the last. Null: the statement
 * is not whole.
 */
export async function signedIn(statement: string): Promise<SignedStatement | null> {
  let [first, last] = ["", ""];
  for await (const line of linesIn(statement)) {
    if (first === "") first = line;
    last = line;
  }
  const head = firstLine.safeParse(parsed(first)).data;
  const end = lastLine.safeParse(parsed(last)).data;
  if (head === undefined || end === undefined) return null;
  const { key_id: keyId, value } = end.signature;
  return { id: head.id, digest: end.digest, signature: { keyId, value } };
}

/** Makes a form of a statement as this release does. The statement must be right. */
async function madeOf(form: "html" | "parquet", statement: string) {
  const signed = await signedIn(statement);
  if (signed === null) throw new Fault("invariant_broken", `The file ${statement} was changed.`);
  return statementIn(form, signed, broken(linesIn(statement)));
}

/** The texts between line feeds, unchanged. */
async function* rawLines(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let rest = "";
  for await (const chunk of chunks) {
    rest += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  yield rest + decoder.decode();
}

/** The members of both in pairs. Undefined for one that has ended. */
async function* inStep<T>(
  ones: AsyncIterable<T>,
  others: AsyncIterable<T>,
): AsyncGenerator<[T | undefined, T | undefined]> {
  const [left, right] = [ones[Symbol.asyncIterator](), others[Symbol.asyncIterator]()];
  for (;;) {
    const one = await left.next();
    const other = await right.next();
    if (one.done === true && other.done === true) return;
    yield [
      one.done === true ? undefined : one.value,
      other.done === true ? undefined : other.value,
    ];
  }
}
