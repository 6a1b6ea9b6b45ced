import {
  chmod,
  lstat,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFile, isDraft, replaceFile } from "../../../src/runtime/whole-files.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "chainbell-whole-files-"));
  path = join(folder, "file");
});

afterEach(() => rm(folder, { recursive: true }));

const modeOf = async () => (await stat(path)).mode & 0o777;

test("a replaced file keeps its mode, and a new one is its owner's alone", async () => {
  await replaceFile(path, "one", "kept");
  expect(await modeOf()).toBe(0o600);
  await chmod(path, 0o640);
  const before = await stat(path);
  await replaceFile(path, "two", "kept");
  expect(await modeOf()).toBe(0o640);
  expect(await readFile(path, "utf8")).toBe("two");
  // Another file with the name of the first: who reads the first one goes on with its text.
  expect((await stat(path)).ino).not.toBe(before.ino);
  expect(await readdir(folder)).toEqual(["file"]);
});

test("a replaced file is its owner's alone where it is to be private", async () => {
  await writeFile(path, "one", { mode: 0o644 });
  await replaceFile(path, "two", "private");
  expect(await modeOf()).toBe(0o600);
});

test("a link stays a link, and a link to nothing gives way to the file", async () => {
  const names = join(folder, "link");
  await writeFile(path, "one");
  await symlink(path, names);
  await replaceFile(names, "two", "kept");
  expect((await lstat(names)).isSymbolicLink()).toBe(true);
  expect(await readFile(path, "utf8")).toBe("two");
  await rm(path);
  await replaceFile(names, "three", "kept");
  expect((await lstat(names)).isFile()).toBe(true);
});

test("a device is written to, and stays a device", async () => {
  await replaceFile("/dev/null", "text", "kept");
  expect((await lstat("/dev/null")).isCharacterDevice()).toBe(true);
});

test("a replacement that fails leaves the file as it was, and no draft", async () => {
  // The longest name of a file: its draft has a longer one.
  const long = join(folder, "n".repeat(255));
  await writeFile(long, "one");
  await expect(replaceFile(long, "two", "kept")).rejects.toMatchObject({ code: "ENAMETOOLONG" });
  expect(await readFile(long, "utf8")).toBe("one");
  expect((await readdir(folder)).filter(isDraft)).toEqual([]);
});

const fill = (text: string) => ({
  fill: (file: { writeFile: (text: string) => Promise<void> }) => file.writeFile(text),
  check: async (draft: string) => {
    expect(await readFile(draft, "utf8")).toBe(text);
    expect(await readdir(folder)).toSatisfy((names: string[]) => names.some(isDraft));
  },
});

test("a file appears once its text was looked at, and never in place of another", async () => {
  await createFile(path, fill("one"));
  expect(await readFile(path, "utf8")).toBe("one");
  expect(await modeOf()).toBe(0o600);
  await expect(createFile(path, fill("two"))).rejects.toMatchObject({ code: "EEXIST" });
  expect(await readFile(path, "utf8")).toBe("one");
  expect(await readdir(folder)).toEqual(["file"]);
});

test("a file whose writing or check fails is not there, and neither is its draft", async () => {
  const fail = async () => {
    throw new Error("No.");
  };
  await expect(createFile(path, { ...fill("one"), fill: fail })).rejects.toThrow("No.");
  await expect(createFile(path, { ...fill("one"), check: fail })).rejects.toThrow("No.");
  expect(await readdir(folder)).toEqual([]);
});

test("of two replacements at once one is there whole", async () => {
  const texts = ["a", "b"].map((letter) => letter.repeat(100_000));
  await Promise.all(texts.map((text) => replaceFile(path, text, "kept")));
  expect(texts).toContain(await readFile(path, "utf8"));
  expect(await readdir(folder)).toEqual(["file"]);
});
