import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { inCheckout } from "../../support/checkout.ts";
import { waitFor } from "../../support/wait-for.ts";

/** npm starts slowly on a machine that has much else to do. */
const timeoutMs = 60_000;

let folder: string;
let started: ChildProcess[];

/**
 * A checkout whose installation lasts until the file `go` is there; `waiting` has the process of
 * its script.
 */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "chainbell-install-"));
  started = [];
  copyFileSync(inCheckout("scripts", "install.mjs"), join(folder, "install.mjs"));
  write("start.mjs", [
    `import { existsSync } from "node:fs";`,
    `import { install } from "./install.mjs";`,
    `const isStale = () => !existsSync("node_modules/.package-lock.json");`,
    `await install({ root: process.cwd(), isStale, say: (line) => console.log(line) });`,
    `console.log("installed");`,
  ]);
  write("wait.mjs", [
    `import { existsSync, writeFileSync } from "node:fs";`,
    `writeFileSync("waiting", String(process.pid));`,
    `setInterval(() => existsSync("go") && process.exit(), 20);`,
  ]);
  const scripts = { postinstall: "node wait.mjs" };
  const dependencies = { one: "file:one" };
  const root = { name: "checkout", version: "1.0.0", dependencies };
  write("package.json", [JSON.stringify({ ...root, private: true, scripts })]);
  mkdirSync(join(folder, "one"));
  write("one/package.json", [JSON.stringify({ name: "one", version: "1.0.0" })]);
  const link = { resolved: "one", link: true };
  const packages = { "": root, one: { version: "1.0.0" }, "node_modules/one": link };
  const lock = { ...root, lockfileVersion: 3, requires: true, packages };
  write("package-lock.json", [JSON.stringify(lock)]);
});

afterEach(async () => {
  write("go", []);
  for (const child of started) if (child.exitCode === null) child.kill("SIGKILL");
  const pid = scriptPid();
  if (pid !== null)
    await waitFor(() => !isRunning(pid), { what: "the end of npm's script", timeoutMs });
  rmSync(folder, { recursive: true, force: true });
});

/** An installation whose starter was killed; answers the process of npm's script, which goes on. */
async function abandoned(): Promise<number> {
  const { child } = start();
  const pid = await installing();
  child.kill("SIGKILL");
  await once(child, "exit");
  return pid;
}

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)(
  "%s ends the installation with everything that it started",
  async (signal, status) => {
    const { child, output } = start();
    const pid = await installing();
    child.kill(signal);
    const [code] = await once(child, "exit");
    expect(code).toBe(status);
    expect(output()).toContain("interrupted: the next start begins it anew");
    await waitFor(() => !isRunning(pid), { what: "the end of npm's script", timeoutMs });

    write("go", []);
    await expectInstalled(start());
  },
  timeoutMs,
);

test(
  "a start waits for the installation that a killed one has left behind",
  async () => {
    const pid = await abandoned();
    expect(isRunning(pid)).toBe(true);

    const second = start();
    await waitFor(() => second.output().includes("waiting for an installation"), {
      what: "the second start to wait",
      timeoutMs,
    });
    write("go", []);
    await expectInstalled(second);
  },
  timeoutMs,
);

test(
  "a claim whose processes have ended is passed over",
  async () => {
    const pid = await abandoned();
    const npm = Number(readFileSync(join(folder, ".installing"), "utf8").split(" ")[1]);
    process.kill(-npm, "SIGKILL");
    await waitFor(() => !isRunning(npm) && !isRunning(pid), { what: "the end of npm", timeoutMs });
    expect(existsSync(join(folder, ".installing"))).toBe(true);

    write("go", []);
    await expectInstalled(start());
  },
  timeoutMs,
);

function start() {
  const child = spawn(process.execPath, ["start.mjs"], { cwd: folder });
  started.push(child);
  let text = "";
  child.stdout.on("data", (chunk) => (text += chunk));
  child.stderr.on("data", (chunk) => (text += chunk));
  return { child, output: () => text };
}

async function expectInstalled({ child, output }: ReturnType<typeof start>): Promise<void> {
  const [code] = child.exitCode === null ? await once(child, "close") : [child.exitCode];
  expect({ code, output: output() }).toMatchObject({ code: 0 });
  expect(output()).toContain("installed");
  expect(existsSync(join(folder, ".installing"))).toBe(false);
  expect(existsSync(join(folder, "node_modules", ".package-lock.json"))).toBe(true);
}

/** Waits until npm runs the script that waits, and answers its process. */
async function installing(): Promise<number> {
  await waitFor(() => scriptPid() !== null, { what: "npm's script", timeoutMs });
  return scriptPid() ?? 0;
}

function scriptPid(): number | null {
  const file = join(folder, "waiting");
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  return text === "" ? null : Number(text);
}

function isRunning(pid: number): boolean {
  // One that has ended and that nobody has asked for its status is a Z.
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", `${pid}`], { encoding: "utf8" });
  return /^[^Z]/.test(stdout.trim());
}

function write(name: string, lines: readonly string[]): void {
  writeFileSync(join(folder, name), lines.join("\n"));
}
