import { createHash } from "node:crypto";
import { keysOf } from "../keys-of.ts";
import type { MadeStatement } from "./made-statement.ts";
import { type Sign, type Signature, signedText } from "./signing-key.ts";

/** The papers that a statement is printed on, each as CSS names it. */
const papers = { a4: "A4", letter: "letter" } as const;

export type Paper = keyof typeof papers;

export const paperNames: readonly Paper[] = keysOf(papers);

/**
 * The end of a statement's page that is to be printed on that paper, and signed. The page's own
 * footer says that the page itself is not signed: this one stands in its place.
 */
export function onPaper(paper: Paper, { digest }: Pick<MadeStatement, "digest">): string {
  return `<style>@page { size: ${papers[paper]}; } footer:first-of-type { display: none; }</style>
<footer><p>This file shows the statement whose lines have the SHA-256 ${digest}. The installation has signed the file, at its end, and those lines, as JSON Lines. Verify the file against them: <code>verify-statement FILE.pdf --against FILE.jsonl --key KEY</code>.</p></footer>
`;
}

/** The words of the last two lines of a PDF. A reader of PDF takes each for a comment. */
const [stated, signed] = ["%chainbell statement", "%chainbell signature"];

/**
 * A PDF of a statement, followed by the statement's id and digest, and by the installation's
 * signature of everything before it. In constant memory.
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

/** The end of a PDF: the statement that it says it shows, and who signed it. */
export type PrintedEnd = {
  id: string;
  digest: string;
  signature: Signature;
  /** Bytes of the last line, which are not signed. */
  unsigned: number;
};

/** Bytes that have both lines: more than they can take. */
export const printedEndLength = 512;

/** The end of a PDF out of its last bytes; null: it is none that Chainbell has written. */
export function readPrintedEnd(last: string): PrintedEnd | null {
  const found =
    /\n%chainbell statement (\S+) ([0-9a-f]{64})\n(%chainbell signature ([0-9a-f]{16}) ([A-Za-z0-9+/=]+)\n)$/.exec(
      last,
    );
  if (found === null) return null;
  const [, id = "", digest = "", line = "", keyId = "", value = ""] = found;
  return { id, digest, signature: { keyId, value }, unsigned: line.length };
}
