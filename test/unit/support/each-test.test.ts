import { afterEach, expect, onTestFinished, test } from "vitest";
import { eachTest } from "../../support/each-test.ts";

const closed: string[] = [];
const closing = (name: string) =>
  eachTest(
    async () => ({ name }),
    () => closed.push(name),
  );

const first = closing("first");
const second = closing("second");
afterEach(() => void closed.push(`after each, with ${first.name}`));

test("each test has its own", () => {
  expect([first.name, second.name]).toEqual(["first", "second"]);
  onTestFinished(() => void closed.push(`test finished, with ${second.name}`));
});

test("it is closed after all else of its test, the last one first", () => {
  expect(closed).toEqual([
    "after each, with first",
    "test finished, with second",
    "second",
    "first",
  ]);
});
