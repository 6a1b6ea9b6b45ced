import { expect, test } from "vitest";
import { createTurns } from "../../../src/runtime/turns.ts";

test("an owner has a few turns at a time, its others wait in order, and nobody waits for another", async () => {
  const turns = createTurns({ atOnce: 2, mostWaiting: 2 });
  const begun: string[] = [];
  const begin = async (owner: string, name: string) => {
    const end = await turns.begin(owner);
    begun.push(end === null ? `${name} refused` : name);
    return end;
  };
  const first = await begin("a", "a1");
  const second = await begin("a", "a2");
  const third = begin("a", "a3");
  const fourth = begin("a", "a4");
  expect(await begin("a", "a5")).toBeNull();
  const other = await begin("b", "b1");
  expect(begun).toEqual(["a1", "a2", "a5 refused", "b1"]);
  first?.();
  first?.();
  const ofThird = await third;
  expect(begun.slice(4)).toEqual(["a3"]);
  second?.();
  (await fourth)?.();
  ofThird?.();
  other?.();
  expect(begun.slice(5)).toEqual(["a4"]);
  expect(await begin("a", "a6")).not.toBeNull();
});
