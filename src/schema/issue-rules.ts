import { z } from "zod";
import { unknownField } from "../domain/text.ts";

// Every process that reads requests imports this file. Then zod uses the rules of `fieldSentence`
// for fields without a rule of their own.
z.config({ localeError: (issue) => ruleOf(issue) });

/** The rule for a value that fits none of several descriptions. */
export const otherRule = "must have one of the forms that /openapi.json describes";

/** The kinds of values, in words for callers. */
const kinds: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  bigint: "a whole number",
  boolean: "true or false",
  date: "a time",
  array: "a list",
  tuple: "a list",
  object: "an object",
  record: "an object",
  map: "an object",
  null: "null",
};

const formats: Readonly<Record<string, string>> = {
  uuid: "a UUID",
  guid: "a UUID",
  url: "a URL such as https://example.com",
  email: "an address such as ops@example.com",
  date: "an ISO 8601 date such as 2026-01-31",
  datetime: "an ISO 8601 time such as 2026-01-31T12:00:00Z",
  base64: "base64",
  ipv4: "an IPv4 address",
  ipv6: "an IPv6 address",
  cidrv4: "a CIDR block such as 203.0.113.0/24",
  cidrv6: "a CIDR block such as 2001:db8::/32",
};

/** The unit of a size, by the kind of the value. */
const units: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ["character", "characters"],
  array: ["entry", "entries"],
  set: ["entry", "entries"],
  map: ["entry", "entries"],
};

/** The broken rule, for `fieldSentence`. */
function ruleOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `expected ${kinds[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `expected ${issue.values.length === 1 ? "" : "one of "}${issue.values.map(String).join(", ")}`;
    case "too_big":
      return sizeRule(issue.origin, "at most", issue.maximum, issue.inclusive ?? true, "less than");
    case "too_small":
      return sizeRule(
        issue.origin,
        "at least",
        issue.minimum,
        issue.inclusive ?? true,
        "more than",
      );
    case "invalid_format":
      return formats[issue.format] === undefined ? otherRule : `expected ${formats[issue.format]}`;
    case "not_multiple_of":
      return `expected a multiple of ${issue.divisor}`;
    case "unrecognized_keys":
      return unknownField;
    default:
      return otherRule;
  }
}

function sizeRule(
  origin: string,
  inclusive: string,
  limit: number | bigint,
  isInclusive: boolean,
  exclusive: string,
): string {
  const size = `${isInclusive ? inclusive : exclusive} ${limit}`;
  const unit = units[origin];
  if (unit === undefined) return `expected ${size}`;
  return `must have ${size} ${limit === 1 || limit === 1n ? unit[0] : unit[1]}`;
}
