import { expect, test } from "vitest";
import {
  atOnce,
  inSlices,
  isTurnOver,
  mapSliced,
  nextTurn,
  sliceItems,
} from "../../../src/domain/in-slices.ts";

const count = 20 * sliceItems;
const items = Array.from({ length: count }, (_, index) => index);

/** Counts the turns of the event loop while something is done. */
async function withTurns<T>(work: (turns: () => number) => Promise<T>): Promise<T> {
  let turns = 0;
  let timer = setImmediate(function turn() {
    turns += 1;
    timer = setImmediate(turn);
  });
  try {
    return await work(() => turns);
  } finally {
    clearImmediate(timer);
  }
}

/** Works until its turn is over, however fast the machine is. */
function workOn(): void {
  while (!isTurnOver());
}

test("other work of the process gets a turn where the turn of the work is over", async () => {
  const seen: number[] = [];
  await withTurns((turns) =>
    inSlices(
      mapSliced(items, (_, index) => {
        if (index % sliceItems === 0) workOn();
        seen.push(turns());
      }),
    ),
  );
  const inOne = (turn: number) => seen.filter((one) => one === turn).length;
  const most = Math.max(...[...new Set(seen)].map(inOne));
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
  const given = await withTurns((turns) =>
    Promise.all(Array.from({ length: 20 }, () => nextTurn().then(turns))),
  );
  expect(new Set(given).size).toBe(20);
});
