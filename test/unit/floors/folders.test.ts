import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { problemsOfFolders } from "../../../scripts/floors/folders.mjs";
import { type Room, readFloors } from "../../../scripts/floors/table.mjs";
import { inCheckout } from "../../support/checkout.ts";

const row = { floor: "ground", holds: "", says: [], imports: [], next: "", generated: false };
const rooms: Room[] = [
  { ...row, name: "domain" },
  { ...row, name: "domain/money" },
  { ...row, name: "made", generated: true },
];

let tree: string;

beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), "chainbell-folders-"));
  write("domain/fault.ts");
  write("domain/money/amount.ts");
  for (const name of ["a", "b", "c"]) write(`made/deep/${name}.ts`);
});

afterEach(() => rmSync(tree, { recursive: true, force: true }));

test("folders as the table says are right, whatever is generated", () => {
  expect(problems()).toEqual([]);
});

test("a folder without a row is refused", () => {
  write("domain/attic/trunk.ts");
  expect(problems()).toEqual(["src/domain/attic: has no row in floors.yaml"]);
});

test("a file that lies in no folder is refused", () => {
  write("main.ts");
  expect(problems()).toEqual(["src/: has no row in floors.yaml"]);
});

test("a row without a folder is refused", () => {
  rmSync(join(tree, "domain/money"), { recursive: true });
  expect(problems()).toEqual(["src/domain/money: has a row in floors.yaml and no files"]);
});

test("the folders of this checkout are as its table says", () => {
  expect(problemsOfFolders(readFloors(), inCheckout("src"))).toEqual([]);
});

function problems(): string[] {
  return problemsOfFolders({ rooms }, tree);
}

function write(path: string): void {
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  writeFileSync(join(tree, path), "");
}
