import { expect, test } from "vitest";
import { newerPage, olderPage, type PagePlace } from "../../../console/src/route/trail.ts";

const newest: PagePlace = { cursor: null, trail: null };

test("leads back over each page that led here, and from the newest nowhere", () => {
  const second = olderPage(newest, "a");
  const third = olderPage(second, "b");
  expect(newerPage(olderPage(third, "c"))).toEqual(third);
  expect(newerPage(third)).toEqual(second);
  expect(newerPage(second)).toEqual(newest);
  expect(newerPage(newest)).toBeNull();
});

test("knows no newer page where the address names none", () => {
  expect(newerPage({ cursor: "a", trail: null })).toBeNull();
});

test("forgets the newest pages of a very long way", () => {
  let page = newest;
  for (let number = 1; number <= 100; number++) page = olderPage(page, `c${number}`);
  expect(page.trail?.split(".")).toHaveLength(40);
  expect(newerPage(page)?.cursor).toBe("c99");
});
