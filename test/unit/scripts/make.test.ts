import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { inCheckout } from "../../support/checkout.ts";

let folder: string;

/** A checkout whose folder `made` is the copy of `source`, and takes a moment to make. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "chainbell-make-"));
  mkdirSync(join(folder, "made"));
  writeFileSync(join(folder, "made", "of-before"), "");
  writeFileSync(join(folder, "source"), "new");
  const maker = inCheckout("scripts", "make.mjs");
  write("start.mjs", [
    `import { mkdirSync, readFileSync, writeFileSync } from "node:fs";`,
    `import { make } from ${JSON.stringify(maker)};`,
    `make({ root: process.cwd(), folder: "made", inputs: ["source"], say: console.log, build: (made) => {`,
    `  mkdirSync(made);`,
    `  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);`,
    `  writeFileSync(made + "/copy", readFileSync("source"));`,
    `} });`,
    `console.log(readFileSync("made/copy", "utf8"));`,
  ]);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, lines: readonly string[]) =>
  writeFileSync(join(folder, name), lines.join("\n"));

const start = () => spawn(process.execPath, ["start.mjs"], { cwd: folder, stdio: "pipe" });

async function outputOf(started: ChildProcess): Promise<string> {
  let output = "";
  for (const stream of [started.stdout, started.stderr])
    stream?.on("data", (chunk) => (output += chunk));
  await once(started, "close");
  return output;
}

test("programs that are started at the same moment each find what they need, and leave nothing else", async () => {
  const outputs = await Promise.all([start(), start(), start(), start()].map(outputOf));
  for (const output of outputs) expect(output).toMatch(/new\n$/);
  expect(readdirSync(folder).sort()).toEqual(["made", "source", "start.mjs"]);
  expect(readdirSync(join(folder, "made")).sort()).toEqual([".built", "copy"]);
  expect(await outputOf(start())).toBe("new\n");
});

test("what was there before stays until what replaces it is whole", async () => {
  const killed = start();
  await once(killed.stdout, "data");
  killed.kill("SIGKILL");
  await once(killed, "close");
  expect(readFileSync(join(folder, "made", "of-before"), "utf8")).toBe("");
  expect(await outputOf(start())).toMatch(/new\n$/);
});
