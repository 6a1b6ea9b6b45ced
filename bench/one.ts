// One benchmark in a process of its own, started by run-alone.ts, to which it sends its lines.
import { benches } from "./benches.ts";
import type { NamedLine } from "./runner/line.ts";
import type { Alone } from "./runner/run-alone.ts";

process.once("disconnect", () => process.exit(1));
const { name, quick, against } = JSON.parse(process.argv[2] ?? "{}") as Alone;
const bench = benches[name];
if (bench === undefined) throw new Error(`There is no benchmark ${name}.`);
const { run } = await bench.load();
const lines = await run({ quick, against, report: (text) => console.log(`  ${text}`) });
process.send?.(
  lines.map((line): NamedLine => ({ bench: name, ...line })),
  () => process.exit(0),
);
