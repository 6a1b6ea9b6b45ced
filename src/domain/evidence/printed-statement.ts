import { createHash } from "node:crypto";
import { keysOf } from "../keys-of.ts";
import type { MadeStatement } from "./made-statement.ts";
import { type Sign, type Signature, signedText } from "./signing-key.ts";

/** The sizes of paper for a printed statement, by their names in CSS. */
const papers = { a4: "A4", letter: "letter" } as const;

export type Paper = keyof typeof papers;

export const paperNames: readonly Paper[] = keysOf(papers);

/**
 * The end of a statement's page for printing and signing. The page's own footer says that the page
 * is not signed, and this one replaces it.
 */
export function onPaper(paper: Paper, { digest }: Pick<MadeStatement, "digest">): string {
  return `<style>@page { size: ${papers[paper]}; } footer:first-of-type { display: none; }</style>
<footer><p>This file shows the statement whose lines have the SHA-256 ${digest}. The installation has signed the file, at its end, and those lines, as JSON Lines. Verify the file against them: <code>verify-statement FILE.pdf --against FILE.jsonl --key KEY</code>.</p></footer>
`;
}

/** The beginnings of the last two lines of a PDF. A PDF reader takes both for comments. */
const [stated, signed] = ["%chainbell statement", "%chainbell signature"];

/**
 * Passes a statement's PDF on, and adds the statement's id and digest, and the installation's
 * signature of everything before it. Memory is constant.
 * @throws Fault `wrong_encryption_key`
 */
export async function* printedStatement(
  pdf: AsyncIterable<Uint8Array>,
  { id, digest }: Pick<MadeStatement, "id" | "digest">,
  sign: Sign,
): AsyncGenerator<Uint8Array, void, void> {
  const hash = createHash("sha256");
  for await (const part of pdf) {
    hash.update(part);
    yield part;
  }
  const named = Buffer.from(`\n${stated} ${id} ${digest}\n`);
  hash.update(named);
  yield named;
  const { keyId, value } = await sign(signedText("printed-statement", hash.digest("hex")));
  yield Buffer.from(`${signed} ${keyId} ${value}\n`);
}

/** The end of a PDF: the statement that it claims to show, and its signature. */
export type PrintedEnd = {
  id: string;
  digest: string;
  signature: Signature;
  /** The length of the last line in bytes, which is not signed. */
  unsigned: number;
};

/** Both lines fit into this many bytes. */
export const printedEndLength = 512;

/** Reads the end of a PDF from its last bytes; null: Chainbell did not write it. */
export function readPrintedEnd(last: string): PrintedEnd | null {
  const found =
    /\n%chainbell statement (\S+) ([0-9a-f]{64})\n(%chainbell signature ([0-9a-f]{16}) ([A-Za-z0-9+/=]+)\n)$/.exec(
      last,
    );
  if (found === null) return null;
  const [, id = "", digest = "", line = "", keyId = "", value = ""] = found;
  return { id, digest, signature: { keyId, value }, unsigned: line.length };
}
