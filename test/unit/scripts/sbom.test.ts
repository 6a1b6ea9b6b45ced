import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { inCheckout } from "../../support/checkout.ts";

type Locked = { packages: Record<string, { version: string }> };

test("the bill names what the daemon runs and its pages are made of, and no tools", () => {
  const written = execFileSync("npm", ["run", "-s", "sbom"], {
    cwd: inCheckout(),
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === "win32",
  });
  const bill = JSON.parse(written);
  const names: string[] = bill.components.map(({ name }: { name: string }) => name);
  expect(bill.bomFormat).toBe("CycloneDX");
  expect(names).toEqual(expect.arrayContaining(["fastify", "pg", "viem", "ox", "zod", "preact"]));
  expect(names).toEqual(expect.arrayContaining(["@prisma/client", "swagger-ui-dist"]));
  expect(names).not.toContain("vitest");
  expect(names).not.toContain("prisma");
  const refs = bill.components.map((one: { "bom-ref": string }) => one["bom-ref"]);
  const needed = bill.dependencies.flatMap((one: { dependsOn: string[] }) => one.dependsOn);
  expect(refs).toEqual(expect.arrayContaining(needed));
});

// The tests find the tools' copy first. TypeScript is twice on purpose: the tools need the library of TypeScript 6.
test("a package of the daemon has the same version among the tools", () => {
  const { dependencies, devDependencies, peerDependencies } = JSON.parse(read("package.json"));
  const ours: Locked = JSON.parse(read("package-lock.json"));
  const tools: Locked = JSON.parse(read("test/package-lock.json"));
  const different = Object.keys({ ...dependencies, ...devDependencies }).filter((name) => {
    const path = `node_modules/${name}`;
    const other = tools.packages[path];
    return other !== undefined && other.version !== ours.packages[path]?.version;
  });
  expect(different).toEqual(["typescript"]);
  // Named at the root, so that a reader of its package.json sees them, and installed among the tools.
  const { devDependencies: installed } = JSON.parse(read("test/package.json"));
  expect(installed).toMatchObject(peerDependencies);
});

const read = (path: string) => readFileSync(inCheckout(path), "utf8");
