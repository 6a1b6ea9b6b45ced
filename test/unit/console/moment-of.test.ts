import { expect, test } from "vitest";
import { momentOf } from "../../../console/src/wire/given.ts";

test.each([
  ["2026-01-31", "2026-01-31T00:00:00.000Z"],
  ["2026-01-31T14:05", "2026-01-31T14:05:00.000Z"],
  ["2026-13-31", undefined],
  ["2026-01-31T25:00", undefined],
  ["yesterday", undefined],
  [undefined, undefined],
])("%s is %s", (written, moment) => {
  expect(momentOf(written)).toBe(moment);
});
