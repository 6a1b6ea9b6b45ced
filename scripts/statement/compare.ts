import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { statementIn } from "../../src/domain/evidence/statement-formats.ts";
import { linesOfCsv } from "./read-csv.ts";

// A table or a page of a statement, held against the lines that were signed. Each difference is
// named by its place.

/** The lines of a file of JSON Lines. A line feed ends one, and no other sign does. */
export async function* linesIn(file: string): AsyncGenerator<string> {
  let before: string | null = null;
  for await (const line of rawLines(createReadStream(file))) {
    if (before !== null) yield before;
    before = line.replace(/\r$/, "");
  }
  if (before !== null && before !== "") yield before;
}

/** The most differences that are named. One line that is added moves all that follow it. */
const most = 100;

type Say = (what: string) => void;

/** Names each field of a table that is another than in the statement. */
export async function compareCsv(csv: string, statement: string, say: Say): Promise<void> {
  const limited = limitOf(say);
  const rows = linesOfCsv(createReadStream(csv), limited);
  let number = 0;
  for await (const [row, line] of inStep<string | null>(rows, linesIn(statement))) {
    number += 1;
    if (row === undefined) limited(`line ${number} is missing: ${line}`);
    else if (line === undefined) limited(`line ${number} is not in the statement: ${row}`);
    else if (row !== null && line !== null && row !== line)
      for (const what of differencesOf(row, line)) limited(`line ${number}: ${what}`);
  }
}

function differencesOf(row: string, line: string): string[] {
  const given: Record<string, unknown> = JSON.parse(row);
  const signed: Record<string, unknown> = JSON.parse(line);
  const names = new Set([...Object.keys(signed), ...Object.keys(given)]);
  return [...names].flatMap((name) => {
    const [one, other] = [JSON.stringify(given[name]), JSON.stringify(signed[name])];
    return one === other
      ? []
      : [`${name} is ${one ?? "missing"}, and was signed as ${other ?? "nothing"}`];
  });
}

/** Names each line of a page that is another than this release makes of the statement. */
export async function compareHtml(html: string, statement: string, say: Say): Promise<void> {
  const limited = limitOf(say);
  const page = statementIn("html", await signedIn(statement), broken(linesIn(statement)));
  let number = 0;
  for await (const [given, made] of inStep(rawLines(createReadStream(html)), rawLines(page))) {
    number += 1;
    if (given !== made)
      limited(`line ${number} of the page is ${shown(given)}, and of the statement ${shown(made)}`);
  }
}

/** Says whether a table of Parquet is the one that this release makes of the statement. */
export async function compareParquet(file: string, statement: string, say: Say): Promise<void> {
  const table = statementIn("parquet", await signedIn(statement), broken(linesIn(statement)));
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

/** What the first and the last line say of the whole. */
export type SignedStatement = {
  id: string;
  digest: string;
  signature: { keyId: string; value: string };
};

/** The id in the first line, the digest and the signature in the last one. */
export async function signedIn(statement: string): Promise<SignedStatement> {
  let [first, last] = ["", "{}"];
  for await (const line of linesIn(statement)) {
    if (first === "") first = line;
    last = line;
  }
  const { digest, signature } = JSON.parse(last);
  const { id } = JSON.parse(first);
  return { id, digest, signature: { keyId: signature.key_id, value: signature.value } };
}

/** The texts between line feeds, and nothing of them taken away. */
async function* rawLines(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    rest += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  yield rest;
}

/** The members of both, side by side; undefined where one has ended. */
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
