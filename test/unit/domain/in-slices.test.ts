import { expect, test } from "vitest";
import {
  atOnce,
  inSlices,
  mapSliced,
  nextTurn,
  sliceItems,
} from "../../../src/domain/in-slices.ts";

const count = 20 * sliceItems;
const items = Array.from({ length: count }, (_, index) => index);

test("other work of the process gets a turn after each slice", async () => {
  let turns = 0;
  const seen: number[] = [];
  let timer = setImmediate(function turn() {
    turns += 1;
    timer = setImmediate(turn);
  });
  await inSlices(mapSliced(items, () => seen.push(turns)));
  clearImmediate(timer);
  const most = Math.max(
    ...[...new Set(seen)].map((turn) => seen.filter((one) => one === turn).length),
  );
  expect({ most, slices: new Set(seen).size }).toEqual({ most: sliceItems, slices: 20 });
});

test("each item is handled once, in its order, however the work is done", async () => {
  const twice = () => mapSliced(items, (item, index) => item + index);
  const expected = items.map((item) => 2 * item);
  expect(await inSlices(twice())).toEqual(expected);
  expect(atOnce(twice())).toEqual(expected);
  expect(await inSlices(mapSliced([], () => 1))).toEqual([]);
});

test("what the work throws ends it", async () => {
  const handled: number[] = [];
  const work = mapSliced(items, (item) => {
    if (item === sliceItems + 1) throw new Error("no");
    handled.push(item);
  });
  await expect(inSlices(work)).rejects.toThrow("no");
  expect(handled).toHaveLength(sliceItems + 1);
});

test("those who ask for a turn at once get one each", async () => {
  let turns = 0;
  let timer = setImmediate(function turn() {
    turns += 1;
    timer = setImmediate(turn);
  });
  const given = await Promise.all(Array.from({ length: 20 }, () => nextTurn().then(() => turns)));
  clearImmediate(timer);
  expect(new Set(given).size).toBe(20);
});
