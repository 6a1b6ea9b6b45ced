import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";

/** One change of a recipe in CONTRIBUTING.md. */
const edit = z.strictObject({
  file: z.string(),
  /** Stands in the file exactly once. Empty: the file is new. */
  find: z.string(),
  replace: z.string(),
  /**
   * The way in which the house notices that the change was forgotten: it does not compile, an
   * export is not used, or the named test fails. Null: nothing but the change makes it known.
   */
  forgotten: z.union([
    z.literal("does not compile"),
    z.literal("is not used"),
    z.string().endsWith(".test.ts"),
    z.null(),
  ]),
});

const recipe = z.strictObject({
  /** The heading in CONTRIBUTING.md. */
  recipe: z.string(),
  edits: z.array(edit),
  /** The files that a command of the recipe makes. */
  made: z.array(z.string()),
});

export type RecipeEdit = z.output<typeof edit>;

export type Recipe = z.output<typeof recipe>;

/** In the order of CONTRIBUTING.md. */
const tables = ["event.yaml", "asset-kind.yaml", "verb.yaml", "agreement.yaml"];

/** Every recipe of the tables beside this file. @throws where a table is malformed */
export function readRecipes(folder: string): Recipe[] {
  return tables.map((table) => recipe.parse(parse(readFileSync(join(folder, table), "utf8"))));
}
