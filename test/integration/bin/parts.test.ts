import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { inCheckout } from "../../support/checkout.ts";
import { runProgram } from "../../support/process/daemon.ts";

/** Packages in a file of a program, and in the parts that it waits for before it begins. */
function packagesOf(file: string, seen = new Set<string>()): Set<string> {
  const packages = new Set<string>();
  if (seen.has(file)) return packages;
  seen.add(file);
  for (const source of sourcesOf(`${file}.map`)) {
    const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? [];
    if (name !== undefined) packages.add(name);
  }
  const imports = readFileSync(file, "utf8").matchAll(/^import [^(]*?"(\.[^"]+)";$/gm);
  for (const [, path = ""] of imports)
    for (const name of packagesOf(join(dirname(file), path), seen)) packages.add(name);
  return packages;
}

/** The builder's own part has no map. */
function sourcesOf(map: string): string[] {
  return existsSync(map) ? JSON.parse(readFileSync(map, "utf8")).sources : [];
}

test("no verb waits for the libraries of the queue, of deliveries or of metrics", async () => {
  // Builds it where it is out of date.
  expect((await runProgram("cli", ["--version"], {})).status).toBe(0);
  const packages = packagesOf(inCheckout("dist", "bin", "cli.js"));
  expect([...packages]).toEqual(expect.arrayContaining(["commander", "pg", "zod"]));
  const others = ["bullmq", "ioredis", "undici", "prom-client"];
  expect(others.filter((name) => packages.has(name))).toEqual([]);
  const ofDaemon = packagesOf(inCheckout("dist", "bin", "main.js"));
  expect(others.filter((name) => !ofDaemon.has(name))).toEqual([]);
});
