import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { inCheckout } from "../../support/checkout.ts";

type Budget = {
  limit_s: number;
  limit_share: number;
  slow: Record<string, string>;
  early: string[];
};

const budget: Budget = parse(readFileSync(inCheckout("test", "slow-files.yaml"), "utf8"));
const listed = Object.keys(budget.slow);
const early = Object.fromEntries(budget.early.map((path) => [path, 1]));

const script = inCheckout("scripts", "slow-files.mjs");

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "chainbell-slow-files-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a run passes whose slow files are all on the list, and its ten slowest are named", () => {
  const quick = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`test/unit/quick-${at}.test.ts`, budget.limit_s - at]),
  );
  const { status, lines } = check({ ...early, ...slow(listed), ...quick });
  expect(status).toBe(0);
  expect(lines).toHaveLength(10);
  expect(lines[0]).toContain(`${budget.limit_s + 1} s test/`);
});

test("a file that takes longer than the limit and is not on the list fails the run by its name", () => {
  const { status, lines } = check({
    ...early,
    ...slow([...listed, "test/unit/new.test.ts"]),
  });
  expect(status).toBe(1);
  expect(lines.at(-1)).toMatch(/^slow-files: test\/unit\/new\.test\.ts took .* say why in test/);
});

test("on a slow machine the limit grows with what the quick files take", () => {
  const wholeS = (2 * budget.limit_s) / budget.limit_share;
  const seconds = { [listed[0] ?? ""]: wholeS, "test/unit/new.test.ts": 2 * budget.limit_s - 1 };
  expect(check(seconds)).toMatchObject({ status: 0 });
  expect(check({ "test/unit/quick.test.ts": 1 }, seconds)).toMatchObject({ status: 1 });
});

test.each([
  ["slow", listed],
  ["early", budget.early],
])("the files that are %s can be listed", (list, expected) => {
  const { stdout } = spawnSync(process.execPath, [script, "--list", list], { encoding: "utf8" });
  expect(stdout.trim().split("\n")).toEqual(expected);
});

test.each([...listed, ...budget.early])("%s is there", (path) => {
  expect(existsSync(inCheckout(path))).toBe(true);
});

test("no file is on both lists", () => {
  expect(budget.early.filter((path) => listed.includes(path))).toEqual([]);
});

function slow(paths: readonly string[]): Record<string, number> {
  return Object.fromEntries(paths.map((path) => [path, budget.limit_s + 1]));
}

/** What it says about runs in this order, each with the seconds of its files. */
function check(...runs: Record<string, number>[]): { status: number | null; lines: string[] } {
  const reports = runs.map((seconds, run) => {
    const testResults = Object.entries(seconds).map(([path, taken]) => ({
      name: inCheckout(path),
      startTime: 1_000,
      endTime: 1_000 * (taken + 1),
    }));
    const report = join(folder, `report-${run}.json`);
    writeFileSync(report, JSON.stringify({ testResults }));
    return report;
  });
  const { status, stderr } = spawnSync(process.execPath, [script, ...reports], {
    encoding: "utf8",
  });
  return { status, lines: stderr.trimEnd().split("\n") };
}
