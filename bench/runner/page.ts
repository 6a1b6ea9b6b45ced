import { readFile, writeFile } from "node:fs/promises";
import { inCheckout } from "../../test/support/checkout.ts";
import type { NamedLine } from "./line.ts";
import { goalText, isReached, withUnit } from "./table.ts";

/** What one call of all benchmarks has measured, as `--json` keeps it. */
type Figures = {
  /** A day, as YYYY-MM-DD. */
  measuredOn: string;
  machine: { node: string; cpu: string; cores: number; memoryGib: number };
  lines: readonly NamedLine[];
};

const page = inCheckout("docs", "benchmarks.md");
const figures = inCheckout("docs", "benchmarks", "figures.json");
const begin = "<!-- from docs/benchmarks/figures.json: npm run bench -- --page -->";
const end = "<!-- to here -->";

/** Writes the table of docs/benchmarks.md anew, from the figures beside it. */
export async function writePage(): Promise<void> {
  await writeFile(page, await pageOf());
}

/** The page as its figures say. Throws where the page has no place for a table. */
export async function pageOf(): Promise<string> {
  const text = await readFile(page, "utf8");
  const [before, after] = [text.split(begin)[0], text.split(end)[1]];
  if (before === undefined || after === undefined)
    throw new Error(`${page} lacks "${begin}" or "${end}".`);
  const measured = JSON.parse(await readFile(figures, "utf8")) as Figures;
  return `${before}${begin}\n\n${markdownOf(measured)}\n\n${end}${after}`;
}

/** The figures that have a goal as a table of Markdown, a benchmark after the other. */
function markdownOf({ measuredOn, machine, lines: all }: Figures): string {
  const lines = all.filter(({ goal }) => goal !== null);
  const { cpu, cores, memoryGib, node } = machine;
  const heads = [
    "bench",
    "what",
    "ours",
    "bare floor",
    "durable floor",
    "peer",
    "ratio",
    "to reach",
  ];
  const rows = lines.map((line, at) => {
    const { bench, name, ours, baseline, durable, peer, ratio, goal, unit } = line;
    const isFirst = lines[at - 1]?.bench !== bench;
    const mark = goal === null ? "" : isReached(line, goal) ? " ✓" : " ✗";
    const figuresOf = [ours, baseline, durable, peer].map((figure) => withUnit(figure, unit));
    const reach = goal === null ? "" : `${goalText(line)}${mark}`;
    return [isFirst ? `**${bench}**` : "", name, ...figuresOf, ratio?.toFixed(2) ?? "", reach];
  });
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const table = [heads, heads.map(() => "---"), ...rows].map(line).join("\n");
  return `Measured on ${measuredOn}: ${cpu}, ${cores} cores, ${memoryGib} GiB, Node ${node.slice(1)}.\n\n${table}`;
}
