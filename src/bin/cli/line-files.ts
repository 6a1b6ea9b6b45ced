import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { access, constants, type FileHandle, link, lstat, open, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { Fault } from "../../domain/fault.ts";
import type { LineFiles } from "../../operator/line-files.ts";

/** Files of lines in UTF-8, each ended by a line feed. */
export const lineFiles: LineFiles = {
  async read(path) {
    try {
      return linesOf(await open(path, "r"));
    } catch (error) {
      if (codeOf(error) === "ENOENT") return null;
      throw refused(path, "read", error);
    }
  },

  async requireNew(path) {
    const isFree = await lstat(path).then(
      () => false,
      () => true,
    );
    if (!isFree) throw new Fault("invalid_request", `The file ${path} cannot be written: EEXIST.`);
    await access(dirname(path), constants.W_OK).catch((error: unknown) => {
      throw refused(path, "written", error);
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
  check: (partial: string) => Promise<void>,
): Promise<void> {
  // The name is unique, so that two processes never write into one file. A killed process leaves
  // this file behind.
  const partial = `${path}.${randomUUID()}.partial`;
  const file = await open(partial, "wx", 0o600).catch((error: unknown) => {
    throw refused(path, "written", error);
  });
  try {
    await writeParts(file, parts).finally(() => file.close());
    await check(partial);
    // A link fails if the name is taken. A rename would overwrite that file.
    await link(partial, path).catch((error: unknown) => {
      throw refused(path, "written", error);
    });
  } finally {
    await unlink(partial);
  }
  await syncFolder(dirname(path));
}

/** The characters that are written at once. */
const chunk = 1_000_000;

async function writeParts(
  file: FileHandle,
  parts: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  let text = "";
  for await (const part of parts) {
    if (typeof part === "string") text += part;
    if (typeof part === "string" && text.length < chunk) continue;
    await file.appendFile(text);
    text = "";
    if (typeof part !== "string") await file.appendFile(part);
  }
  await file.appendFile(text);
  await file.sync();
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

/** Flushes the folder. Without this, the file's name may be lost in a power failure. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  await folder.sync().finally(() => folder.close());
}

function refused(path: string, what: string, cause: unknown): unknown {
  const code = codeOf(cause);
  if (code === null) return cause;
  return new Fault("invalid_request", `The file ${path} cannot be ${what}: ${code}.`, { cause });
}

/** The code of a system error, such as ENOENT. Null: it is another error. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && "code" in error ? String(error.code) : null;
}
