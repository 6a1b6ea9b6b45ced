import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endWithUs } from "../../test/support/process/reaper.ts";
import { median } from "./alternate.ts";
import type { Report } from "./bench.ts";
import type { Line, NamedLine } from "./line.ts";
import type { OtherCommit } from "./other-commit.ts";
import { runAlone } from "./run-alone.ts";

type Compared = { name: string; quick: boolean; other: OtherCommit; report: Report };

/**
 * Runs the other commit's own benchmark of that name and ours in turn, several times: each is
 * measured by the code of its commit. Of lines with the same name the medians stand side by side.
 * Null where either fails.
 */
export async function compareCommands(compared: Compared): Promise<NamedLine[] | null> {
  const { name, quick, other, report } = compared;
  const rounds = quick ? 1 : 3;
  const theirs: Line[][] = [];
  const ours: NamedLine[][] = [];
  for (let round = 1; round <= rounds; round += 1) {
    report(`round ${round} of ${rounds}: ${other.name}`);
    const before = await runCommand(compared);
    report(`round ${round} of ${rounds}: ours`);
    const now = await runAlone({ name, quick, against: null });
    if (before === null || now === null) return null;
    theirs.push(before);
    ours.push(now);
  }
  return (ours[0] ?? []).map((line) => {
    const middle = (runs: Line[][], of: "ours" | "baseline" | "peer" | "ratio") => {
      const same = runs.flat().filter((one) => one.name === line.name);
      const figures = same.map((one) => one[of]).filter((figure) => figure !== null);
      return figures.length === 0 ? null : median(figures);
    };
    return {
      ...line,
      ours: middle(ours, "ours") ?? line.ours,
      baseline: middle(ours, "baseline"),
      peer: middle(ours, "peer"),
      ratio: middle(ours, "ratio"),
      against: middle(theirs, "ours"),
    };
  });
}

/** The lines that the other commit's own `npm run bench` writes, or null where it fails. */
async function runCommand({ name, quick, other, report }: Compared): Promise<Line[] | null> {
  const folder = await mkdtemp(join(tmpdir(), "chainbell-figures-"));
  const json = join(folder, "figures.json");
  const options = [...(quick ? ["--quick"] : []), "--json", json];
  try {
    const child = spawn("npm", ["run", "--silent", "bench", "--", name, ...options], {
      cwd: other.root,
      stdio: ["ignore", "ignore", "inherit"],
    });
    const reaped = endWithUs(child.pid ?? 0);
    const [status] = await once(child, "exit");
    reaped.forget();
    if (status !== 0) {
      report(`${other.name}: npm run bench -- ${name} ended with status ${status}`);
      return null;
    }
    const { lines } = JSON.parse(await readFile(json, "utf8")) as { lines: Line[] };
    return lines;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
