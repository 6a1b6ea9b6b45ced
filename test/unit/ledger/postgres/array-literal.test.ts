import { expect, test } from "vitest";
import { arrayLiteral } from "../../../../src/ledger/postgres/array-literal.ts";

test("a column is written as PostgreSQL writes an array", () => {
  const id = "018f0000-0000-7000-8000-000000000000";
  expect(arrayLiteral([id, id])).toBe(`{${id},${id}}`);
  expect(arrayLiteral([-1, 0, 2n ** 256n])).toBe(`{-1,0,${2n ** 256n}}`);
  expect(arrayLiteral([null, "0.1.2", "2025-01-01T00:00:00.000Z"])).toBe(
    "{NULL,0.1.2,2025-01-01T00:00:00.000Z}",
  );
  expect(arrayLiteral(["0", "", null])).toBe('{0,"",NULL}');
  expect(arrayLiteral([])).toBe("{}");
});

test.each(["a,b", "}", '"', "\\", " ", "a\nb", "ü", "null"])(
  "a value that would have to be quoted is refused: %j",
  (value) => {
    expect(() => arrayLiteral(["0x1", value])).toThrow("Only plain values");
  },
);
