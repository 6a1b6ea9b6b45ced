import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { access, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileFault, systemCode } from "../../domain/file-fault.ts";
import type { FileDigest, FolderFiles } from "../../operator/folder-files.ts";
import { isDraft, replaceFile } from "../../runtime/whole-files.ts";

/** Folders of the file system. */
export const folderFiles: FolderFiles = {
  make: (path) => orRefuse(path, "made", () => makeFolder(path)),
  requirePlace: (path) => orRefuse(path, "written", () => access(dirname(path))),
  list: (path) =>
    listFolder(path).catch((error: unknown) => Promise.reject(fileFault(path, "read", error))),
  digest: (path) => orNull(path, () => digestOf(path)),
  readText: (path) => orNull(path, () => readFile(path, "utf8")),
  replace: (path, text) => orRefuse(path, "written", () => replaceFile(path, text, "private")),
  remove: (path) => orRefuse(path, "removed", () => rm(path, { force: true })),
};

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    // If a file is in its place, the next step says so.
    if (systemCode(error) !== "EEXIST") throw error;
  });
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
    if (systemCode(error) === "ENOENT") return null;
    throw fileFault(path, "read", error);
  }
}

async function orRefuse(
  path: string,
  deed: "written" | "made" | "removed",
  act: () => Promise<void>,
): Promise<void> {
  await act().catch((error: unknown) => {
    throw fileFault(path, deed, error);
  });
}
