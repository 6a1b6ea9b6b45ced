import { expect, test } from "vitest";
import { waitFor, waitForCount } from "../../support/wait-for.ts";

const five = { what: "the fifth", timeoutMs: 50 };

test("a wait ends when nothing has progressed, and says what was awaited and what it saw last", async () => {
  let looks = 0;
  const stuck = async () => {
    looks += 1;
    throw new Error(`it has ${Math.min(looks, 3)}`);
  };
  await expect(waitFor(stuck, five)).rejects.toThrow(
    /^Waited \d+ ms for the fifth, the last 6 looks without progress; at last: it has 3$/,
  );
  // Two looks at what it had before, and six at the third.
  expect(looks).toBe(8);
});

test("a wait goes on for as long as there is progress, however long that takes", async () => {
  let looks = 0;
  const slow = async () => {
    looks += 1;
    if (looks < 40) throw new Error(`it has ${Math.floor(looks / 4)}`);
    return "all";
  };
  expect(await waitFor(slow, five)).toBe("all");
});

test("what says something new for ever is not waited for without end", async () => {
  let looks = 0;
  const restless = () => {
    looks += 1;
    throw new Error(`look ${looks}`);
  };
  await expect(waitFor(restless, five)).rejects.toThrow("at last: look 101");
});

test("where a number is waited for, each one more is progress", async () => {
  let looks = 0;
  const slow = () => {
    looks += 1;
    return Math.floor(looks / 4);
  };
  expect(await waitForCount(slow, 10, five)).toBe(true);
  await expect(waitForCount(() => 3, 10, five)).rejects.toThrow("at last: there are 3 of 10");
});
