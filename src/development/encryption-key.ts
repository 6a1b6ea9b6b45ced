import { randomBytes, randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "../domain/fault.ts";

const KEY_BYTES = 32;

/**
 * The data directory's own encryption key, 32 bytes in base64: made once, in a file only its owner
 * can read, and the same ever after. Processes that ask at the same moment are given the same key.
 * Fault `wrong_encryption_key` when the file holds something else.
 */
export function developmentEncryptionKey(dataDir: string): string {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, "encryption.key");
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, `${randomBytes(KEY_BYTES).toString("base64")}\n`, {
    flag: "wx",
    mode: 0o600,
  });
  try {
    // Written beside and linked into place: the first process wins, and nobody reads half a key.
    linkSync(draft, path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const key = readFileSync(path, "utf8").trim();
  if (Buffer.from(key, "base64").length !== KEY_BYTES) {
    throw new Fault(
      "wrong_encryption_key",
      `${path} does not hold 32 bytes in base64: put the key back that it held, or remove the data directory to begin anew.`,
      { facts: { path } },
    );
  }
  return key;
}
