// Runs the benchmarks and prints each figure beside its baseline and its peer from the same run.
// Usage: npm run bench [-- <name> ...] [--quick] [--against <commit>] [--json <file>]
//   [--page] [--list]
// Without a name all of them, one after the other, each in a process of its own. `--quick` does a
// little of everything: it shows that each still works, and its figures mean nothing. `--against`
// builds another commit and runs it in turn with ours: see README.md beside this file, which also
// says what runs from where. `--page` runs nothing: it writes the table of docs/benchmarks.md from
// docs/benchmarks/figures.json, which `--json` may name.
import { writeFile } from "node:fs/promises";
import { availableParallelism, cpus, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { benches } from "./benches.ts";
import type { NamedLine } from "./runner/line.ts";
import { type OtherCommit, openCommit } from "./runner/other-commit.ts";
import { writePage } from "./runner/page.ts";
import { runBench } from "./runner/run-bench.ts";
import { tableOf } from "./runner/table.ts";

process.exitCode = await main();

async function main(): Promise<number> {
  const options = readOptions();
  if (typeof options === "string") return refuse(options);
  const { names, quick, list, json, page } = options;
  if (page) {
    await writePage();
    return 0;
  }
  if (list) {
    for (const [name, { about }] of Object.entries(benches)) print(`${name.padEnd(12)}${about}`);
    return 0;
  }
  const machine = {
    node: process.version,
    cpu: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    memoryGib: Math.round(totalmem() / 2 ** 30),
  };
  const { cpu, cores, memoryGib, node } = machine;
  print(`${cpu}, ${cores} cores, ${memoryGib} GiB, Node ${node}`);
  const other = options.against === null ? null : await openCommit(options.against, print);
  try {
    const { lines, failed } = await runAll(names, { quick, other });
    print(`\n${tableOf(lines, options.against)}`);
    if (json !== null) {
      const against = other === null ? null : { name: other.name, commit: other.commit };
      const measuredOn = new Date().toISOString().slice(0, 10);
      const kept = { measuredOn, machine, quick, against, lines };
      await writeFile(json, `${JSON.stringify(kept, null, 2)}\n`);
    }
    return failed.length === 0 ? 0 : refuse(`failed: ${failed.join(", ")}`);
  } finally {
    await other?.remove();
  }
}

async function runAll(
  names: readonly string[],
  given: { quick: boolean; other: OtherCommit | null },
): Promise<{ lines: NamedLine[]; failed: string[] }> {
  const lines: NamedLine[] = [];
  const failed: string[] = [];
  for (const name of names) {
    const bench = benches[name];
    if (bench === undefined) continue;
    print(`\n${name}: ${bench.about}`);
    const measured = await runBench({
      name,
      bench,
      ...given,
      report: (text) => print(`  ${text}`),
    });
    if (measured === null) failed.push(name);
    else lines.push(...measured);
  }
  return { lines, failed };
}

type Options = {
  names: string[];
  quick: boolean;
  list: boolean;
  page: boolean;
  json: string | null;
  against: string | null;
};

/** What was asked for, or what is wrong with it. */
function readOptions(): Options | string {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        quick: { type: "boolean", default: false },
        json: { type: "string" },
        list: { type: "boolean", default: false },
        page: { type: "boolean", default: false },
        against: { type: "string" },
      },
    });
    const unknown = positionals.filter((name) => !(name in benches));
    if (unknown.length > 0)
      return `there is no benchmark ${unknown.join(", ")}: see npm run bench -- --list`;
    const names = positionals.length > 0 ? positionals : Object.keys(benches);
    const { quick, list, page, json = null, against = null } = values;
    return { names, quick, list, page, json, against };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function refuse(reason: string): number {
  process.stderr.write(`${reason}\n`);
  return 1;
}
