import { expect, test } from "vitest";
import { causesIn } from "../../../console/src/pages/deliveries/causes.ts";

const at = (minute: number) => `2026-01-31T12:0${minute}:00.000Z`;

const row = (minute: number, result: { status_code?: number; error?: "timeout" } | null) => ({
  status: "exhausted" as const,
  created_at: at(minute),
  last_attempt:
    result === null
      ? null
      : { url: null, at: at(minute), status_code: null, error: null, response: null, ...result },
});

test("notifications are told apart by their last answers, the most frequent first", () => {
  const rows = [
    row(5, { error: "timeout" }),
    row(4, { status_code: 503 }),
    row(3, { error: "timeout" }),
    row(2, null),
    row(1, { error: "timeout" }),
  ];
  const causes = causesIn(rows);
  expect(causes.map(({ id, since, last }) => [id, since, last.at])).toEqual([
    ["timeout", at(1), at(5)],
    ["503", at(4), at(4)],
  ]);
  expect(causes[0]?.rows).toEqual([rows[0], rows[2], rows[4]]);
});

test("nothing that was never tried has a cause", () => {
  expect(causesIn([row(1, null)])).toEqual([]);
});
