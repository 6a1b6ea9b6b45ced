import { expect, test } from "vitest";
import { derivedId, placeOf } from "../../../src/domain/derived-id.ts";
import { idAt } from "../../../src/domain/id.ts";

const key = "5e".repeat(32);
const place = { timeMs: 1_769_860_800_123, ordinal: 2 ** 32 - 3 };

test("a derived id is a UUID v8 that is the same whenever it is made", () => {
  const id = derivedId(place, key, ["transaction", "0x1", "a"]);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(derivedId(place, key, ["transaction", "0x1", "a"])).toBe(id);
});

test("another key, place or part is another id", () => {
  const ids = [
    derivedId(place, key, ["transaction", "0x1", "a"]),
    derivedId(place, "5f".repeat(32), ["transaction", "0x1", "a"]),
    derivedId({ ...place, timeMs: place.timeMs + 1 }, key, ["transaction", "0x1", "a"]),
    derivedId({ ...place, ordinal: place.ordinal - 1 }, key, ["transaction", "0x1", "a"]),
    derivedId(place, key, ["transaction", "0x2", "a"]),
    derivedId(place, key, ["transaction", "0x1", "b"]),
    derivedId(place, key, ["notification", "0x1", 0, "a"]),
    derivedId(place, key, ["notification", "0x1", 1, "a"]),
  ];
  expect(new Set(ids).size).toBe(ids.length);
});

test("ids sort by time and then by ordinal, beside those that are not derived", () => {
  const ordinals = [0, 1, 2 ** 10, 2 ** 20 - 1, 2 ** 20, 2 ** 31, 2 ** 32 - 1];
  const derived = ordinals.map((ordinal) => derivedId({ timeMs: 1_000, ordinal }, key, ["a"]));
  const ids = [idAt(999, 2 ** 31), ...derived, idAt(1_001, 0)];
  expect([...ids].sort()).toEqual(ids);
});

test.each([0, 1, 2 ** 20 - 1, 2 ** 20, 2 ** 32 - 1])(
  "the place of an id is the one that it was made at: ordinal %i",
  (ordinal) => {
    const at = { timeMs: 1_769_860_800_123, ordinal };
    expect(placeOf(derivedId(at, key, ["a"]))).toEqual(at);
    expect(placeOf(idAt(at.timeMs, ordinal))).toEqual(at);
  },
);
