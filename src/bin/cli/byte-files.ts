import { readFile, writeFile } from "node:fs/promises";
import { Fault } from "../../domain/fault.ts";
import type { ByteFiles } from "../../operator/byte-files.ts";
import { asError } from "../../runtime/as-error.ts";

export const byteFiles: ByteFiles = {
  read: (path) => readFile(path).catch(refuse),
  write: (path, bytes) => writeFile(path, bytes, { flag: "wx" }).catch(refuse),
};

/** The system's own message names the file and what is wrong with it. */
function refuse(error: unknown): never {
  throw new Fault("invalid_request", `${asError(error).message}.`, { cause: error });
}
