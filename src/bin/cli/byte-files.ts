import { readFile, writeFile } from "node:fs/promises";
import { fileFault } from "../../domain/file-fault.ts";
import type { ByteFiles } from "../../operator/byte-files.ts";

export const byteFiles: ByteFiles = {
  read: (path) =>
    readFile(path).catch((error: unknown) => {
      throw fileFault(path, "read", error);
    }),
  write: (path, bytes) =>
    writeFile(path, bytes, { flag: "wx" }).catch((error: unknown) => {
      throw fileFault(path, "written", error);
    }),
};
