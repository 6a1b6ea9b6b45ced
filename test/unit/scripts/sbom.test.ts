import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { inCheckout } from "../../support/checkout.ts";

test("the bill names what the daemon runs, the files that the build copies and bundles too, and no tools", () => {
  const written = execFileSync(process.execPath, [inCheckout("scripts", "sbom.mjs")], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
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
}, 60_000);
