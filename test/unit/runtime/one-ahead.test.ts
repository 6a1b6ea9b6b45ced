import { expect, test } from "vitest";
import { oneAhead } from "../../../src/runtime/one-ahead.ts";

/** Numbers from 0, and how many of them were asked for; `fails` at one of them. */
function source(fails = Number.POSITIVE_INFINITY) {
  const seen = { asked: 0, isEnded: false };
  async function* numbers() {
    try {
      for (let number = 0; number < 4; number += 1) {
        seen.asked += 1;
        if (number === fails) throw new Error("no more");
        yield number;
      }
    } finally {
      seen.isEnded = true;
    }
  }
  return { seen, numbers: oneAhead(numbers()) };
}

async function readAll(numbers: AsyncIterable<number>, into: number[]): Promise<void> {
  for await (const number of numbers) into.push(number);
}

test("the next value is asked for while one is worked on, and no other", async () => {
  const { seen, numbers } = source();
  expect(seen.asked).toBe(0);
  const asked: number[] = [];
  for await (const number of numbers) asked.push(seen.asked - number);
  expect(asked).toEqual([2, 2, 2, 1]);
});

test("an error comes after the values before it", async () => {
  const given: number[] = [];
  await expect(readAll(source(2).numbers, given)).rejects.toThrow("no more");
  expect(given).toEqual([0, 1]);
});

test("a reader that leaves ends the source, and hears of no error", async () => {
  const { seen, numbers } = source(1);
  for await (const _ of numbers) break;
  expect(seen.isEnded).toBe(true);
});
