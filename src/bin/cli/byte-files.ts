import { readFile, writeFile } from "node:fs/promises";
import { Fault } from "../../domain/fault.ts";
import type { ByteFiles } from "../../operator/byte-files.ts";
import { asError } from "../../runtime/as-error.ts";

export const byteFiles: ByteFiles = {
  read: (path) => readFile(path).catch(refuse),
  write: (path, bytes) => writeFile(path, bytes, { flag: "wx" }).catch(refuse),
};

/** Throws the system's own message, which names the file and the problem. */
function refuse(error: unknown): never {
  throw new Fault("invalid_request", `${asError(error).message}.`, { cause: error });
}
