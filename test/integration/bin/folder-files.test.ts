import { access, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { folderFiles } from "../../../src/bin/cli/folder-files.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "chainbell-folders-"));
});

afterEach(() => rm(folder, { recursive: true }));

test("a folder is made for its owner alone, and one that is there is kept", async () => {
  const path = join(folder, "2026-10");
  await folderFiles.make(path);
  expect((await stat(path)).mode & 0o777).toBe(0o700);
  await writeFile(join(path, "index.json"), "{}");
  await folderFiles.make(path);
  expect(await readdir(path)).toEqual(["index.json"]);
});

test("a folder is not made where its own folder is missing: the path may be mistyped", async () => {
  const path = join(folder, "clsoed", "2026-10");
  await expect(folderFiles.make(path)).rejects.toMatchObject({
    code: "invalid_request",
    message: `${path} cannot be made: its folder does not exist.`,
  });
  await expect(access(join(folder, "clsoed"))).rejects.toMatchObject({ code: "ENOENT" });
});

test("a file whose folder is missing is refused before there is a text for it", async () => {
  await folderFiles.requirePlace(join(folder, "new.json"));
  const path = join(folder, "none", "new.json");
  await expect(folderFiles.requirePlace(path)).rejects.toMatchObject({
    code: "invalid_request",
    message: `${path} cannot be written: its folder does not exist.`,
  });
});

test("a file in its place is refused, and so is one in its path", async () => {
  const file = join(folder, "file");
  await writeFile(file, "");
  const aFile = (path: string) => ({
    code: "invalid_request",
    message: `${path} cannot be made: a part of its path is a file.`,
  });
  await expect(folderFiles.make(file)).rejects.toMatchObject(aFile(file));
  await expect(folderFiles.make(join(file, "in"))).rejects.toMatchObject(aFile(join(file, "in")));
});
