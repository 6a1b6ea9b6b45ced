import type { z } from "zod";

/** One error in the configuration, and its place. Never contains a value, which may be a secret. */
export type ConfigFault = { path: string; message: string };

/** Makes faults of zod's issues, one for each path. An unknown key is a fault at that key. */
export function faultsOfIssues(issues: readonly z.core.$ZodIssue[]): ConfigFault[] {
  return issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({
        path: pathText([...issue.path, key]),
        message: "unknown key",
      }));
    }
    const inner = issue.code === "invalid_union" ? deepest(issue) : [];
    if (inner.length > 0) return faultsOfIssues(inner);
    return [{ path: pathText(issue.path), message: sentenceOf(issue) }];
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
    if (issue.message.endsWith("received undefined")) return "is required";
    return `expected ${expectedWords[issue.expected] ?? issue.expected}`;
  }
  return issue.message;
}

/** `chains[0].assets[1].code` */
export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? String(part) : `${text}.${String(part)}`;
  }, "");
}
