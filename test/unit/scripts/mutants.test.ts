import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readMutants } from "../../../scripts/mutants/mutant.ts";
import { mutantsPage, withSeed } from "../../../scripts/mutants/page.ts";
import { inCheckout } from "../../support/checkout.ts";

const mutants = readMutants(inCheckout("scripts", "mutants"));

test("the page on mutants is made of their tables (node scripts/run.mjs mutants --only none --write)", () => {
  const page = readFileSync(inCheckout("docs", "security", "mutants.md"), "utf8");
  expect(page).toBe(mutantsPage(mutants));
});

test("each has a name of its own", () => {
  expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
});

test.each(mutants)("$id fits the code, and its test is there", ({ file, find, replace, test }) => {
  const source = readFileSync(inCheckout(file), "utf8");
  expect(source.split(find)).toHaveLength(2);
  expect(replace).not.toBe(find);
  expect(existsSync(inCheckout(test.file))).toBe(true);
});

test("a seed is written where its fault is, and nowhere else", () => {
  const entry = (id: string, seed: string) => `- id: ${id}\n  find: x\n\n  simulation: ${seed}\n`;
  const table = `${entry("a", "null")}\n${entry("b", "null")}\n${entry("c", "3")}`;
  expect(withSeed(table, "b", 7)).toBe(
    `${entry("a", "null")}\n${entry("b", "7")}\n${entry("c", "3")}`,
  );
});
