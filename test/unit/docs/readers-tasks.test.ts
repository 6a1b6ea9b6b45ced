import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { inCheckout } from "../../support/checkout.ts";
import { anchorsOf, linksOf } from "../../support/docs/markdown.ts";

const rows = read("readers-tasks.md")
  .split("\n")
  .filter((line) => /^\| \S/.test(line))
  .slice(1);

test("there are thirty tasks of readers", () => expect(rows.length).toBe(30));

test.each(rows)("the answer of this task stands where the list says: %s", (row) => {
  const [, words = ""] = /"(.+)" \|$/.exec(row) ?? [];
  const places = linksOf(row).map(({ target }) => target);
  expect(words.length).toBeGreaterThan(10);
  expect(places.length).toBeGreaterThan(0);
  expect(places.map(sectionAt).join(" ")).toContain(words);
});

/** The text from the heading of an anchor to the next heading, on one line. */
function sectionAt(place: string): string {
  const [page = "", anchor = ""] = place.split("#");
  const sections = read(page).split(/^(?=#{1,6} )/m);
  const found = sections.find((section) => anchorsOf(section.split("\n", 1)[0] ?? "").has(anchor));
  expect(found, place).toBeDefined();
  return (found ?? "").replace(/\s+/g, " ");
}

function read(page: string): string {
  return readFileSync(inCheckout("docs", page), "utf8");
}
