import type { z } from "zod";

/** One thing that is wrong with the configuration, and where. Never a value: it may be a secret. */
export type ConfigFault = { path: string; message: string };

/** zod's issues as faults, one for each path. An unknown key is a fault at that key. */
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

/** The faults inside a value of a union, judged as the member that the value looks like. */
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
