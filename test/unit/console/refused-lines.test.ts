import { expect, test } from "vitest";
import { refusedLines } from "../../../console/src/pages/parts/import/refused-lines.ts";
import { faultOf } from "../../../console/src/wire/fault.ts";

/** The fault of a refused request with these details. */
function refusal(...details: object[]) {
  return faultOf(400, { error: { code: "invalid_request", message: "No.", details } });
}

// The rows of a file with an empty line.
const lines = [2, 4, 5];

test("a refused row is named by its line, and so is the row that it repeats", () => {
  const fault = refusal(
    { field: "wallets[1].purpose", message: "wallets[1].purpose must be one of deposit, payment." },
    {
      field: "wallets[2].address",
      message: "wallets[2].address must stand once in the list: wallets[0].address is the same.",
      code: "repeated",
      values: { other: "wallets[0].address" },
    },
  );
  expect(refusedLines(fault, lines)).toEqual([
    { line: 4, message: "purpose must be one of deposit, payment." },
    { line: 5, message: "address must stand once in the list: line 2 is the same." },
  ]);
});

test("a refusal without a row is one of the whole file", () => {
  const [wallets] = refusedLines(refusal({ field: "wallets", message: "It is long." }), lines);
  expect(wallets).toEqual({ line: 0, message: "It is long." });
  expect(refusedLines(refusal(), lines)).toEqual([{ line: 0, message: "No." }]);
});
