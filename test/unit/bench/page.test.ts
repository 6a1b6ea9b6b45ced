import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { pageOf } from "../../../bench/runner/page.ts";
import { inCheckout } from "../../support/checkout.ts";

test("the table of the benchmarks is made from their figures", async () => {
  const page = await readFile(inCheckout("docs", "benchmarks.md"), "utf8");
  expect(page).toContain("| **latency** |");
  expect(await pageOf()).toBe(page);
});
