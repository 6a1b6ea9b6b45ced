import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { inCheckout } from "../../support/checkout.ts";

const decisions = readdirSync(inCheckout("docs", "decisions")).filter((name) => /^\d/.test(name));

/** A title, a status, a date, and three chapters. */
const form = /^# \d+\. [^\n]+\n\nStatus: (?:[^\n]+\n)+?Date: \d{4}-\d\d-\d\d\n\n## Context\n/;

test.each(decisions)("decision %s has the headings of all", (name) => {
  const text = readFileSync(inCheckout("docs", "decisions", name), "utf8");
  expect(text).toMatch(form);
  expect(text.match(/^## .*$/gm)).toEqual(["## Context", "## Decision", "## Consequences"]);
});
