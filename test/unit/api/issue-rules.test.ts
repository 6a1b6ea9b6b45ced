import { expect, test } from "vitest";
import { z } from "zod";
import { toErrorAnswer } from "../../../src/api/answers/error-answer.ts";
import { Fault } from "../../../src/domain/fault.ts";
import { fieldSentence, invalidField, invalidFields } from "../../../src/domain/text.ts";
import { otherRule } from "../../../src/schema/issue-rules.ts";

/** What an answer says of a value that a schema refuses. */
function said(schema: z.ZodType, value: unknown): string {
  const { error } = schema.safeParse(value);
  return fieldSentence("it", error?.issues[0]?.message ?? "taken");
}

test.each<[string, z.ZodType, unknown]>([
  ["it must be a text.", z.string(), 5],
  ["it must be a text.", z.string(), undefined],
  ["it must be a number.", z.number(), "5"],
  ["it must be a whole number.", z.int(), 1.5],
  ["it must be true or false.", z.boolean(), "yes"],
  ["it must be a list.", z.array(z.string()), {}],
  ["it must be an object.", z.object({}), []],
  ["it must be an object.", z.record(z.string(), z.string()), 1],
  ["it must be one of read, write.", z.enum(["read", "write"]), "rad"],
  ["it must be up.", z.literal("up"), "down"],
  ["it must have at most 3 characters.", z.string().max(3), "four"],
  ["it must have at least 1 character.", z.string().min(1), ""],
  ["it must have at most 1 entry.", z.array(z.string()).max(1), ["a", "b"]],
  ["it must have at least 2 entries.", z.array(z.string()).min(2), []],
  ["it must be at most 10.", z.number().max(10), 11],
  ["it must be more than 0.", z.number().gt(0), 0],
  ["it must be less than 5.", z.number().lt(5), 5],
  ["it must be a multiple of 5.", z.number().multipleOf(5), 6],
  ["it must be a UUID.", z.uuid(), "x"],
  ["it must be a URL such as https://example.com.", z.url(), "x"],
  ["it must be an ISO 8601 date such as 2026-01-31.", z.iso.date(), "31.1."],
  [`it ${otherRule}.`, z.string().regex(/^x/), "y"],
  [`it ${otherRule}.`, z.union([z.string(), z.number()]), true],
  ["Unknown parameter: it.", z.strictObject({}), { a: 1 }],
])("%s", (sentence, schema, value) => expect(said(schema, value)).toBe(sentence));

const given = (field: string) => (field === "limit" ? "'9999'" : null);

test.each([
  ["expected 1 to 500", "limit must be 1 to 500; it is '9999'.", "invalid"],
  ["must come with cursor", "limit must come with cursor.", "invalid"],
  ["unknown field", "Unknown parameter: limit.", "unknown_field"],
  ["expected a UUID", "limit must be a UUID; it is '9999'.", "id"],
  ["this is a sentence that stands alone.", "this is a sentence that stands alone.", "invalid"],
  ["too many rows", "limit: too many rows.", "invalid"],
])(
  "the details of a fault with the rule '%s' are a sentence and a word",
  (rule, sentence, code) => {
    const { message, details } = toErrorAnswer(invalidField("limit", rule), given);
    expect(message).toBe(sentence);
    expect(details).toEqual([{ field: "limit", message: sentence, code, values: {} }]);
  },
);

test("a fault of several fields speaks of the first, and counts the others", () => {
  const fault = invalidFields(
    { field: "limit", message: "expected 1 to 500" },
    [{ field: "q", message: "expected one of a", code: "choice", values: { choices: "a" } }],
    "unknown_blockchain",
  );
  expect(toErrorAnswer(fault, given)).toEqual({
    status: 400,
    code: "unknown_blockchain",
    message: "limit must be 1 to 500; it is '9999'. One more field is wrong.",
    details: [
      {
        field: "limit",
        message: "limit must be 1 to 500; it is '9999'.",
        code: "invalid",
        values: {},
      },
      { field: "q", message: "q must be one of a.", code: "choice", values: { choices: "a" } },
    ],
  });
});

test("a fault whose facts are no fields has no details", () => {
  const fault = new Fault("invalid_request", "It is wrong.", { facts: { details: "nothing" } });
  expect(toErrorAnswer(fault)).not.toHaveProperty("details");
});
