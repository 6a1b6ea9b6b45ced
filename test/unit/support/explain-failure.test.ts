import { expect, test } from "vitest";
import { excerptOf } from "../../support/explain-failure.ts";

const line = (number: number) => `{"msg":"line ${number}"}`.padEnd(100, " ");
const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => line(from + index));

test("a log that is short is shown as it is, but for the requests of the test", () => {
  const log = [line(1), '{"path":"/admin/status","msg":"request.answered"}', line(2), ""];
  expect(excerptOf(log.join("\n"))).toBe([line(1), line(2)].join("\n"));
});

test("of a long log the beginning and the end are shown, in whole lines", () => {
  const shown = [...lines(1, 59), "(82 more lines)", ...lines(142, 200)];
  expect(excerptOf(lines(1, 200).join("\n"))).toBe(shown.join("\n"));
});
