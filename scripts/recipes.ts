// Follows the recipes of CONTRIBUTING.md in a copy of the checkout, and runs the check over what comes
// of them. With --forgotten it also leaves each change out, and looks whether that is noticed.
// Status 0: the check passes with every recipe, and nothing forgotten stays unseen. 1: else.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { inCheckout } from "../test/support/checkout.ts";
import { copyCheckout } from "./copy-checkout.ts";
import { type RecipeEdit, readRecipes } from "./recipes/recipe.ts";

const usage = `usage: node scripts/run.mjs recipes [options]
  --forgotten  leaves each change out as well, and looks whether that is noticed
  --help       this
`;

const { values } = parseArgs({
  options: {
    forgotten: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const edits = readRecipes(inCheckout("scripts", "recipes")).flatMap((one) => one.edits);

/**
 * What comes before the check: a repository, since the check lists its files, and the commands that
 * recipes name. Their tests fail in the run that writes the files.
 */
const makes = [
  "git init --quiet",
  vitest("unit/docs/events-page", "unit/packages/webhooks/schema", "-u"),
  vitest("api/openapi", "-t", "'the types of the typed client'", "-u"),
  "node dist-tools/scripts/config-schema.js",
];

const compiles = [
  "node_modules/.bin/tsc --noEmit -p tsconfig.test.json --incremental --tsBuildInfoFile types.json",
  "node_modules/.bin/tsc -p console",
];

function vitest(...args: string[]): string {
  return `node node_modules/vitest/vitest.mjs run ${args.join(" ")}`;
}

/** The commands of `npm run check`, but for the one that looks at commits: a copy has none. */
function checks(): string[] {
  const { scripts } = JSON.parse(readFileSync(inCheckout("package.json"), "utf8"));
  const commands: string[] = scripts.check.split(" && ");
  return commands.filter((command) => !command.includes("commits.mjs"));
}

/** Puts all edits but one into the files that they are about, or takes that file away again. */
function write(copy: string, without: RecipeEdit | null): void {
  for (const file of new Set(edits.map((one) => one.file))) {
    const path = join(copy, file);
    const put = edits.filter((one) => one.file === file && one !== without);
    const isNew = edits.some((one) => one.file === file && one.find === "");
    rmSync(path, { force: true });
    if (put.length === 0 && isNew) continue;
    mkdirSync(dirname(path), { recursive: true });
    const before = isNew ? "" : readFileSync(inCheckout(file), "utf8");
    writeFileSync(path, put.reduce(applied, before));
  }
}

function applied(source: string, { file, find, replace }: RecipeEdit): string {
  if (find === "") return replace;
  if (source.split(find).length !== 2) throw new Error(`A recipe no longer fits ${file}: ${find}`);
  return source.replace(find, () => replace);
}

function passes(copy: string, command: string): { isGood: boolean; output: string } {
  const bin = join(copy, "node_modules", ".bin");
  const env = { ...process.env, PATH: `${bin}:${process.env["PATH"] ?? ""}` };
  const { status, stdout, stderr } = spawnSync(command, {
    cwd: copy,
    env,
    shell: true,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return { isGood: status === 0, output: `${stdout}${stderr}` };
}

/** True if the house notices that a change was forgotten, in the way that the recipe names. */
function isNoticed(copy: string, { forgotten }: RecipeEdit): boolean {
  if (forgotten === null) return true;
  if (forgotten === "does not compile")
    return compiles.some((command) => !passes(copy, command).isGood);
  if (forgotten === "is not used") return !passes(copy, "node scripts/tool.mjs knip").isGood;
  return !passes(copy, vitest(forgotten)).isGood;
}

function followForgotten(copy: string): number {
  let unseen = 0;
  for (const edit of edits.filter(({ forgotten }) => forgotten !== null)) {
    write(copy, edit);
    const noticed = isNoticed(copy, edit);
    if (!noticed) unseen += 1;
    const first = edit.replace.trim().split("\n")[0];
    process.stdout.write(`${noticed ? "noticed" : "UNSEEN"}: ${edit.file}: ${first}\n`);
  }
  return unseen;
}

function main(): number {
  const copy = copyCheckout("recipes");
  try {
    write(copy, null);
    for (const command of makes) passes(copy, command);
    const tests = new Set(edits.map(({ forgotten }) => forgotten).filter(isTest));
    for (const command of [...checks(), vitest(...tests)]) {
      const { isGood, output } = passes(copy, command);
      process.stdout.write(`${isGood ? "passed" : "FAILED"}: ${command}\n`);
      if (isGood) continue;
      process.stdout.write(output);
      return 1;
    }
    return values.forgotten && followForgotten(copy) > 0 ? 1 : 0;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function isTest(forgotten: string | null): forgotten is string {
  return forgotten?.endsWith(".test.ts") === true;
}

if (values.help) process.stdout.write(usage);
else process.exitCode = main();
