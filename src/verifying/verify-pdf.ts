import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import {
  type PrintedEnd,
  printedEndLength,
  readPrintedEnd,
} from "../domain/evidence/printed-statement.ts";
import { hasSigned, signedText } from "../domain/evidence/signing-key.ts";
import { type SignedStatement, signedIn } from "./compare.ts";

/**
 * Verifies a PDF. Its last lines name a statement, and the key must have signed all bytes before
 * the last line. That shows that the installation printed these pages for that statement. The pages
 * themselves are not read.
 * @param against the signed JSON Lines; null: there are none
 */
export async function verifyPdf(
  { file, against, key }: { file: string; against: string | null; key: string | null },
  say: (what: string) => void,
): Promise<void> {
  const { end, size } = await endOf(file);
  if (end === null) {
    say("the PDF does not end with Chainbell's signature: it was changed, or printed elsewhere");
    return;
  }
  const { signature, unsigned } = end;
  const text = signedText("printed-statement", await digestOf(file, size - unsigned));
  if (key !== null && !hasSigned(key, text, signature))
    say(`the PDF is not what this key has signed (it names key ${signature.keyId})`);
  if (against !== null) sayOther(end, await signedIn(against), say);
}

function sayOther(
  end: PrintedEnd,
  signed: SignedStatement | null,
  say: (what: string) => void,
): void {
  // The verdict on the statement says what is missing.
  if (signed === null) return;
  if (end.id !== signed.id) say(`the PDF is of statement ${end.id}, not of ${signed.id}`);
  if (end.digest !== signed.digest)
    say(`the PDF is of lines with the digest ${end.digest}, not ${signed.digest}`);
}

async function endOf(path: string): Promise<{ end: PrintedEnd | null; size: number }> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - printedEndLength);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(printedEndLength), {
      position: from,
    });
    return { end: readPrintedEnd(buffer.toString("latin1", 0, bytesRead)), size };
  } finally {
    await file.close();
  }
}

async function digestOf(path: string, length: number): Promise<string> {
  const hash = createHash("sha256");
  for await (const part of createReadStream(path, { end: length - 1 })) hash.update(part);
  return hash.digest("hex");
}
