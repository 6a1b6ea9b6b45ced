// Runs the benchmarks and prints each figure beside its baseline and its peer from the same run.
// Usage: npm run bench [-- <name> ...] [--quick] [--json <file>] [--list]
// Without a name all of them, one after the other, each in a process of its own. `--quick` does a little of everything:
// it shows that each still works, and its figures mean nothing.
import { writeFile } from "node:fs/promises";
import { availableParallelism, cpus, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { prepare } from "../scripts/prepare.mjs";
import { runAlone } from "./alone.mjs";
import { benches } from "./benches.mjs";
import { table } from "./table.mjs";

const { values, positionals } = readArguments();
if (values.list) {
  for (const [name, { about }] of Object.entries(benches))
    console.log(`${name.padEnd(12)}${about}`);
  process.exit(0);
}
const names = positionals.length > 0 ? positionals : Object.keys(benches);
const unknown = names.filter((name) => !(name in benches));
if (unknown.length > 0)
  end(`there is no benchmark ${unknown.join(", ")}: see npm run bench -- --list`);

// What is measured is what is built: compiled once, before any of them.
prepare();
const machine = {
  node: process.version,
  cpu: cpus()[0]?.model ?? "unknown",
  cores: availableParallelism(),
  memoryGib: Math.round(totalmem() / 2 ** 30),
};
console.log(
  `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGib} GiB, Node ${machine.node}`,
);
const lines = [];
let failed = false;
for (const name of names) {
  console.log(`\n${name}: ${benches[name].about}`);
  const measured = await runAlone(name, values);
  if (measured === null) {
    console.error(`${name} failed`);
    failed = true;
  } else lines.push(...measured);
}
console.log(`\n${table(lines)}`);
if (values.json !== undefined) {
  const quick = values.quick === true;
  await writeFile(values.json, `${JSON.stringify({ machine, quick, lines }, null, 2)}\n`);
}
process.exit(failed ? 1 : 0);

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        quick: { type: "boolean", default: false },
        json: { type: "string" },
        list: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    return end(error.message);
  }
}

function end(message) {
  console.error(message);
  process.exit(1);
}
