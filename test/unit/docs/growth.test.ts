import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { inCheckout } from "../../support/checkout.ts";

const read = (path: string) => readFileSync(inCheckout(path), "utf8");

test("the page on growth names every table, and what deletes its rows", () => {
  const tables = [...read("prisma/schema.prisma").matchAll(/^ {2}@@map\("(\w+)"\)/gm)];
  const rows = read("docs/growth.md")
    .split("\n")
    .filter((line) => line.startsWith("| `"));
  const missing = tables
    .map(([, table]) => table)
    .filter((table) => !rows.some((row) => (row.split("|")[1] ?? "").includes(`\`${table}\``)));
  expect(tables.length).toBeGreaterThan(30);
  expect(missing).toEqual([]);
  for (const row of rows) expect(row.split("|").at(-2)?.trim(), row).not.toBe("");
});
