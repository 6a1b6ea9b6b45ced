import type { Mutant } from "./mutant.ts";

const intro = `# Faults that tests and simulation must find

A mutant is a small fault put into the code on purpose: a check left out, a sign turned round. A test that finds none
proves nothing. The tables of [scripts/mutants](../../scripts/mutants) name faults in the code that moves money, and
some that an [attack](faults.md) found. This page is made of them.

\`\`\`sh
node scripts/run.mjs mutants                         # a table; --only id,id for some of them; --help
node scripts/run.mjs mutants --no-tests --seeds 30   # what the simulation finds
node scripts/run.mjs mutants --seeds 0               # what the tests find
node scripts/run.mjs mutants --write                 # writes the seeds that have found something, and this page
\`\`\`

The program copies the checkout and puts one fault after another into the copy. It runs the test that is about the
fault, and [the simulation](../simulation.md). That begins with the seed of the table, and tries others where that one
misses the fault. \`MISSED\` is what was not found, or no longer fits the code, and the status is then 1. A fault counts
as found by a test only where an assertion of that very test fails.`;

/** docs/security/mutants.md, as the tables have it. */
export function mutantsPage(mutants: readonly Mutant[]): string {
  const seeds = mutants.filter(({ simulation }) => typeof simulation === "number");
  const summary = `${mutants.length} faults, each with a test that finds it; ${seeds.length} are found by a seed of the simulation too.`;
  const head = ["fault", "what goes wrong", "in", "test that finds it", "seed that finds it"];
  const rows = [head, head.map(() => "---"), ...mutants.map(rowOf)];
  const table = rows.map((row) => `| ${row.join(" | ")} |`).join("\n");
  return `${intro}\n\n${summary}\n\n${table}\n`;
}

function rowOf({ id, what, file, test, simulation }: Mutant): string[] {
  const seed = simulation === null ? "none is known" : String(simulation);
  const found = `${test.title} (${linkTo(test.file)})`;
  return [`\`${id}\``, what, linkTo(file), found, seed].map((cell) => cell.replaceAll("|", "\\|"));
}

/** By its name without the endings: a name of one's own for each file would only be longer. */
function linkTo(file: string): string {
  const name = file.split("/").at(-1) ?? file;
  return `[${name.replace(/(\.test)?\.ts$/, "")}](../../${file})`;
}

/** A table with the seed that is known to find one of its faults. */
export function withSeed(table: string, id: string, seed: number): string {
  const entry = new RegExp(
    `(^- id: "?${id}"?\n(?:(?!^- id: )[^\n]*\n)*? {2}simulation: )[^\n]*`,
    "m",
  );
  return table.replace(entry, (_, before: string) => `${before}${seed}`);
}
