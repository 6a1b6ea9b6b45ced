import { createReadStream } from "node:fs";
import { access, constants, type FileHandle, lstat, open } from "node:fs/promises";
import { dirname } from "node:path";
import { fileFault, systemCode } from "../../domain/file-fault.ts";
import type { LineFiles } from "../../operator/line-files.ts";
import { createFile } from "../../runtime/whole-files.ts";

/** Files of lines in UTF-8, each ended by a line feed. */
export const lineFiles: LineFiles = {
  async read(path) {
    try {
      return linesOf(await open(path, "r"));
    } catch (error) {
      if (systemCode(error) === "ENOENT") return null;
      throw fileFault(path, "read", error);
    }
  },

  async requireNew(path) {
    const isFree = await lstat(path).then(
      () => false,
      () => true,
    );
    const taken = Object.assign(new Error("The name is taken."), { code: "EEXIST" });
    if (!isFree) throw fileFault(path, "written", taken);
    await access(dirname(path), constants.W_OK).catch((error: unknown) => {
      throw fileFault(path, "written", error);
    });
  },

  write: (path, lines, check) =>
    writeWhole(path, broken(lines), async (partial) => check(linesOf(await open(partial, "r")))),

  writeParts: (path, parts, check) =>
    writeWhole(path, parts, (partial) => check(createReadStream(partial))),
};

async function writeWhole(
  path: string,
  parts: AsyncIterable<string | Uint8Array>,
  check: (draft: string) => Promise<void>,
): Promise<void> {
  const fill = (file: FileHandle) => writeParts(path, file, parts);
  await createFile(path, { fill, check }).catch((error: unknown) => {
    throw isAbout(path, error) ? fileFault(path, "written", error) : error;
  });
}

/** True for a system's error of this file or its draft. The source of the parts may fail too. */
function isAbout(path: string, error: unknown): boolean {
  return error instanceof Error && "path" in error && String(error.path).startsWith(path);
}

/** The characters that are written at once. */
const chunk = 1_000_000;

async function writeParts(
  path: string,
  file: FileHandle,
  parts: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  const append = (data: string | Uint8Array) =>
    file.appendFile(data).catch((error: unknown) => {
      throw fileFault(path, "written", error);
    });
  let text = "";
  for await (const part of parts) {
    if (typeof part === "string") text += part;
    if (typeof part === "string" && text.length < chunk) continue;
    await append(text);
    text = "";
    if (typeof part !== "string") await append(part);
  }
  await append(text);
}

async function* broken(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}

async function* linesOf(file: FileHandle): AsyncGenerator<string> {
  try {
    yield* file.readLines({ autoClose: false });
  } finally {
    await file.close();
  }
}
