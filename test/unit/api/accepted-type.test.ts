import { expect, test } from "vitest";
import { acceptedType } from "../../../src/api/http/accepted-type.ts";

const json = "application/json";
const csv = "text/csv";

test.each([
  [undefined, json],
  ["", json],
  ["*/*", json],
  ["text/html", json],
  [csv, csv],
  ["TEXT/CSV; charset=utf-8", csv],
  ["text/*", csv],
  // A type that is named comes before one that a wildcard allows.
  ["*/*, text/csv", csv],
  ["text/csv, application/json", json],
  ["text/csv, application/json; q=0.5", csv],
  ["text/csv;q=0.1, */*;q=0.5", json],
  ["application/x-ndjson, text/csv;q=0.9", "application/x-ndjson"],
  ["application/json;q=0, */*", csv],
  ["text/csv;q=x", json],
])("Accept: %s is answered with %s", (accept, expected) => {
  expect(acceptedType(accept, [json, csv, "application/x-ndjson"])).toBe(expected);
});
