import { z } from "zod";
import { keysOf } from "../domain/keys-of.ts";
import {
  type ConfigFaultCode,
  type ConfigFaultValues,
  configFaultCodes,
} from "../domain/setup/config-fault-codes.ts";

/** One error in the configuration, and its place. Never contains a value, which may be a secret. */
export type ConfigFault = {
  path: string;
  message: string;
  /** Left out: `invalid`. */
  code?: ConfigFaultCode;
  /** The values in `message`. Left out: none. */
  values?: ConfigFaultValues;
};

const required = "is required";

/** Makes faults of zod's issues, one for each path. An unknown key is a fault at that key. */
export function faultsOfIssues(issues: readonly z.core.$ZodIssue[]): ConfigFault[] {
  return issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({
        path: pathText([...issue.path, key]),
        message: "unknown key",
        code: "unknown_key",
      }));
    }
    const inner = issue.code === "invalid_union" ? deepest(issue) : [];
    if (inner.length > 0) return faultsOfIssues(inner);
    const message = sentenceOf(issue);
    return [{ path: pathText(issue.path), message, ...wordOf(issue, message) }];
  });
}

/** The faults within a value of a union, for the member that the value resembles. */
function deepest({ path, errors }: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue[] {
  const inside = errors.find((issues) =>
    issues.some((issue) => issue.path.length > 0 || issue.code === "unrecognized_keys"),
  );
  return (inside ?? []).map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
}

const expectedWords: Record<string, string> = { array: "a list", object: "a map of keys" };

function sentenceOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") {
    if (issue.message.endsWith("received undefined")) return required;
    return `expected ${expectedWords[issue.expected] ?? issue.expected}`;
  }
  return issue.message;
}

type Word = { code: ConfigFaultCode; values?: ConfigFaultValues };

/** The word of a field's own reading, as `field` puts it into an issue. */
const ofField = z.object({
  code: z.enum(keysOf(configFaultCodes)),
  values: z.record(z.string(), z.string()).default({}),
});

function wordOf(issue: z.core.$ZodIssue, message: string): Word {
  if (message === required) return { code: "required" };
  switch (issue.code) {
    case "custom":
      return ofField.safeParse(issue.params).data ?? { code: "invalid" };
    // The value is like no member. The first one that reads a text says what the text must be.
    case "invalid_union":
      return (
        issue.errors
          .flat()
          .map((inner) => wordOf(inner, inner.message))
          .find(({ code }) => code !== "invalid") ?? { code: "invalid" }
      );
    case "too_small":
      return issue.origin === "array"
        ? { code: "too_few", values: { least: String(issue.minimum) } }
        : { code: "invalid" };
    case "too_big":
      return issue.origin === "array"
        ? { code: "too_many", values: { most: String(issue.maximum) } }
        : { code: "invalid" };
    case "invalid_type":
      if (issue.expected === "array") return { code: "not_a_list" };
      return { code: issue.expected === "object" ? "not_a_map" : "invalid" };
    default:
      return { code: "invalid" };
  }
}

/** `chains[0].assets[1].code` */
export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? String(part) : `${text}.${String(part)}`;
  }, "");
}
