import type { z } from "zod";
import type { ConfigFaultCode } from "../domain/setup/config-fault-codes.ts";

/** One error in the configuration, and its place. Never contains a value, which may be a secret. */
export type ConfigFault = {
  path: string;
  message: string;
  /** Left out: `invalid`. */
  code?: ConfigFaultCode;
  /** The values in `message`. Left out: none. */
  values?: Readonly<Record<string, string>>;
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
    return [{ path: pathText(issue.path), message, code: codeOf(issue, message) }];
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

function codeOf(issue: z.core.$ZodIssue, message: string): ConfigFaultCode {
  if (message === required) return "required";
  if (issue.code !== "invalid_type") return "invalid";
  if (issue.expected === "array") return "not_a_list";
  return issue.expected === "object" ? "not_a_map" : "invalid";
}

/** `chains[0].assets[1].code` */
export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? String(part) : `${text}.${String(part)}`;
  }, "");
}
