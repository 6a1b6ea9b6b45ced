import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readRecipes } from "../../../scripts/recipes/recipe.ts";
import { inCheckout } from "../../support/checkout.ts";

const contributing = readFileSync(inCheckout("CONTRIBUTING.md"), "utf8");

/** The files that each row of a recipe's first table names. */
function rowsOf(heading: string): string[][] {
  const [, section = ""] = contributing.split(`### ${heading}\n`);
  const table = section.slice(section.indexOf("|")).split("\n\n")[0] ?? "";
  const [, , ...rows] = table.split("\n");
  return rows.map((row) =>
    [...(row.split("|")[1] ?? "").concat(row.split("|")[2] ?? "").matchAll(/`([^`]+)`/g)].map(
      ([, text = ""]) => text,
    ),
  );
}

/** The names of a new file in a table, and in an edit. */
const placed = (file: string) => file.replace(/(?<=migrations\/)[^/]+/, "<date>_<name>");

describe.each(readRecipes(inCheckout("scripts", "recipes")))("$recipe", (recipe) => {
  const { edits, made } = recipe;

  test("is followed in each file that it names, and in no other", () => {
    const rows = rowsOf(recipe.recipe);
    expect(rows).not.toEqual([]);
    const followed = [...edits.map(({ file }) => file), ...made].map(placed);
    for (const row of rows)
      expect(
        row.some((file) => followed.includes(file)),
        row[0],
      ).toBe(true);
    for (const { file } of edits) expect(rows.flat()).toContain(placed(file));
  });

  test("fits the code (node scripts/run.mjs recipes follows it)", () => {
    for (const { file, find } of edits) {
      if (find === "") expect(existsSync(inCheckout(file)), file).toBe(false);
      else expect(readFileSync(inCheckout(file), "utf8").split(find), file).toHaveLength(2);
    }
  });
});
