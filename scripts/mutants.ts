// Puts one fault after another into a copy of the code that moves money, and says which of them the
// test that is about it and the simulation find, as a table. A fault that one of them misses is
// printed as MISSED. Status 0: every one is found. 1: one is missed, or no longer fits the code.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { inCheckout } from "../test/support/checkout.ts";
import { copyCheckout } from "./copy-checkout.ts";
import { type Mutant, readMutants, tables } from "./mutants/mutant.ts";
import { mutantsPage, withSeed } from "./mutants/page.ts";

const usage = `usage: node scripts/run.mjs mutants [options]
  --only ID,ID  only these faults
  --seeds N     how many seeds of the simulation, where the known one does not find it (30; 0: no simulation)
  --from M      the first of them (1)
  --with WHAT   only seeds of that kind: plain, liars, today, aimed, streams
  --jobs J      processes at a time in the simulation (1)
  --no-tests    the simulation alone
  --write       the seeds that have found something into scripts/mutants, and docs/security/mutants.md
`;

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    seeds: { type: "string", default: "30" },
    from: { type: "string", default: "1" },
    jobs: { type: "string", default: "1" },
    "no-tests": { type: "boolean", default: false },
    with: { type: "string" },
    write: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const folder = inCheckout("scripts", "mutants");
const mutants = readMutants(folder);
const copy = copyCheckout("mutants");

/** Whether a program of the copy ended well; what it printed. */
function run(args: readonly string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync("nice", [process.execPath, ...args], {
    cwd: copy,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return { status, output: `${stdout}${stderr}` };
}

/**
 * Only a failed assertion of that test counts: a fault that does not even run is no fault to find.
 */
function testFinds({ test }: Mutant): string {
  const report = join(copy, "report.json");
  rmSync(report, { force: true });
  const title = test.title.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const vitest = join("node_modules", "vitest", "vitest.mjs");
  const asked = ["run", test.file, "-t", title, "--reporter=json", `--outputFile=${report}`];
  const { output } = run([vitest, ...asked]);
  try {
    const { numFailedTests, numPassedTests } = JSON.parse(readFileSync(report, "utf8"));
    if (numFailedTests > 0) return "found";
    return numPassedTests > 0 ? "MISSED" : "MISSED (no such test)";
  } catch {
    return `MISSED (did not run: ${output.trim().split("\n").at(-1)})`;
  }
}

/** By the seed that is known to find it, else by the first of the others that does. */
function simulationFinds({ simulation }: Mutant): string {
  if (typeof simulation === "string") return `not asked: ${simulation}`;
  if (values.seeds === "0") return "not asked";
  const known = simulation === null ? null : runSeeds(simulation, ["--seeds", "1"]);
  if (known !== null && isFound(known)) return known;
  const kind = values.with === undefined ? [] : ["--with", values.with];
  return runSeeds(Number(values.from), ["--seeds", values.seeds, ...kind]);
}

/** From what is compiled: of the fault's file alone, that is made anew (see writeSource). */
function runSeeds(from: number, which: readonly string[]): string {
  const { status, output } = run([
    join("dist-tools", "test", "simulation", "main.js"),
    ...["--from", String(from), ...which, "--jobs", values.jobs],
  ]);
  if (status === 0) return `MISSED in ${which[1]} seeds`;
  const seed = /^seed (\d+): FAILED/m.exec(output);
  return seed === null
    ? `MISSED (did not run: ${output.trim().slice(-200)})`
    : `found by seed ${seed[1]}`;
}

const isFound = (result: string) => !result.includes("MISSED");

/** What was found goes into the tables, so that the next run is quick. */
function writeFound(rows: readonly Row[]): void {
  for (const { mutant, simulation } of rows) {
    const seed = /^found by seed (\d+)$/.exec(simulation)?.[1];
    if (seed === undefined) continue;
    for (const path of tables.map((table) => join(folder, table)))
      writeFileSync(path, withSeed(readFileSync(path, "utf8"), mutant.id, Number(seed)));
  }
  const page = inCheckout("docs", "security", "mutants.md");
  writeFileSync(page, mutantsPage(readMutants(folder)));
}

type Row = { mutant: Mutant; test: string; simulation: string };

/** As a table of Markdown. */
function tableOf(rows: readonly Row[]): string {
  const cells = rows.map(({ mutant, test, simulation }) => [
    ...[`\`${mutant.id}\``, mutant.what, test, simulation],
  ]);
  const head = [["fault", "what goes wrong", "its test", "simulation"], Array(4).fill("---")];
  return [...head, ...cells].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function judge(mutant: Mutant): Row {
  const path = join(copy, mutant.file);
  const before = readFileSync(path, "utf8");
  if (before.split(mutant.find).length !== 2) {
    const unfit = `MISSED (does not fit ${mutant.file} any more)`;
    return { mutant, test: unfit, simulation: unfit };
  }
  writeSource(
    mutant.file,
    before.replace(mutant.find, () => mutant.replace),
  );
  try {
    const test = values["no-tests"] ? "not asked" : testFinds(mutant);
    const simulation = simulationFinds(mutant);
    process.stderr.write(`${mutant.id}: test ${test}; simulation ${simulation}\n`);
    return { mutant, test, simulation };
  } finally {
    writeSource(mutant.file, before);
  }
}

/**
 * A file of the copy, and what is compiled: the tests run the one, the simulation the other.
 */
function writeSource(file: string, source: string): void {
  writeFileSync(join(copy, file), source);
  const tsc = join("node_modules", "typescript", "bin", "tsc");
  const { status, output } = run([tsc, "-p", "tsconfig.json", "--noCheck", "--outDir", "dist"]);
  if (status !== 0) throw new Error(`${file} could not be compiled: ${output}`);
}

function main(): number {
  const asked = values.only?.split(",") ?? mutants.map(({ id }) => id);
  const rows = mutants.filter(({ id }) => asked.includes(id)).map(judge);
  const found = rows.filter(({ test, simulation }) => isFound(test) && isFound(simulation));
  process.stdout.write(`${tableOf(rows)}\n${found.length} of ${rows.length} are found\n`);
  if (values.write) writeFound(rows);
  return rows.length > 0 && found.length === rows.length ? 0 : 1;
}

try {
  if (values.help) process.stdout.write(usage);
  else process.exitCode = main();
} finally {
  rmSync(copy, { recursive: true, force: true });
}
