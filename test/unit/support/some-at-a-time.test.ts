import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { someAtATime } from "../../support/some-at-a-time.ts";

test("the first failure ends the work, once what is under way has ended", async () => {
  const begun: string[] = [];
  const ended: string[] = [];
  const goOn: (() => void)[] = [];
  const work = async (item: string) => {
    begun.push(item);
    if (item === "fails") throw new Error("it failed");
    await new Promise<void>((resolve) => goOn.push(resolve));
    ended.push(item);
  };
  const all = someAtATime(["slow", "fails", "never"], { atOnce: 2, work }).finally(() =>
    ended.push("all"),
  );
  await nextTurn();
  for (const resolve of goOn) resolve();
  await expect(all).rejects.toThrow("it failed");
  expect([begun, ended]).toEqual([
    ["slow", "fails"],
    ["slow", "all"],
  ]);
});
