import { TestRunner } from "vitest";

/** The end of a text is shown, in characters. */
const longest = 2_000;

/**
 * Adds to the errors of a failed test what may explain it, so that it stands in every report. Call
 * it after the test, while its resources end. Nothing happens if the test has not failed.
 */
export function explainFailure(what: string, text: string): void {
  const result = TestRunner.getCurrentTest()?.result;
  if (result?.state !== "fail" || text === "") return;
  const message = `${what}:\n${text.slice(-longest)}`;
  result.errors = [...(result.errors ?? []), { name: "Explanation", message }];
}
