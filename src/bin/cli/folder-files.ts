import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { Fault } from "../../domain/fault.ts";
import type { FileDigest, FolderFiles } from "../../operator/folder-files.ts";
import { isDraft, replaceFile } from "../../runtime/whole-files.ts";
import { codeOf } from "./line-files.ts";

/** Folders of the file system. */
export const folderFiles: FolderFiles = {
  make: (path) => orRefuse(path, "made", () => makeFolder(path)),
  list: (path) =>
    listFolder(path).catch((error: unknown) => Promise.reject(refused(path, "read", error))),
  digest: (path) => orNull(path, () => digestOf(path)),
  readText: (path) => orNull(path, () => readFile(path, "utf8")),
  replace: (path, text) => orRefuse(path, "written", () => replaceFile(path, text)),
  remove: (path) => orRefuse(path, "removed", () => rm(path, { force: true })),
};

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  for (const name of await readdir(path)) if (isDraft(name)) await rm(join(path, name));
}

async function listFolder(path: string, within = ""): Promise<string[]> {
  const names: string[] = [];
  for (const entry of await readdir(join(path, within), { withFileTypes: true })) {
    const name = `${within}${entry.name}`;
    if (entry.isDirectory()) names.push(...(await listFolder(path, `${name}/`)));
    else names.push(name);
  }
  return names.toSorted();
}

async function digestOf(path: string): Promise<FileDigest> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { sha256: hash.digest("hex"), size };
}

async function orNull<T>(path: string, read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw refused(path, "read", error);
  }
}

async function orRefuse(path: string, what: string, act: () => Promise<void>): Promise<void> {
  await act().catch((error: unknown) => {
    throw refused(path, what, error);
  });
}

function refused(path: string, what: string, cause: unknown): unknown {
  const code = codeOf(cause);
  if (code === null) return cause;
  return new Fault("invalid_request", `${path} cannot be ${what}: ${code}.`, { cause });
}
