import { randomBytes, randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "../domain/fault.ts";

const KEY_BYTES = 32;

/**
 * The encryption key of the data directory, 32 bytes in base64. It is made once, in a file that
 * only its owner can read, and never changes. Concurrent calls of several processes get the same
 * key.
 * @throws Fault `wrong_encryption_key` if the file has something else
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
    // Writes another file and links it to the path. The first process wins, and nobody reads half a
    // key.
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
      `${path} does not hold 32 bytes in base64. Put the former key back, or remove the data directory to begin anew.`,
      { facts: { path } },
    );
  }
  return key;
}
