import { onTestFailed, TestRunner } from "vitest";

/** So much of the beginning of a log is shown, and of its end, in characters. */
const longest = 6_000;

/**
 * Adds what explains a failure to the errors of the present test if it fails, so that it stands in
 * every report. Call it when the log begins, in a test or in a hook of one. A log that several tests
 * share explains nothing.
 * @param readLog the log so far; asked once the test has failed and its resources have ended
 */
export function explainFailure(what: string, readLog: () => string): void {
  if (TestRunner.getCurrentTest() === undefined) return;
  onTestFailed(({ task: { result } }) => {
    const log = excerptOf(readLog());
    if (result === undefined || log === "") return;
    const explanation = { name: "Explanation", message: `${what}:\n${log}` };
    result.errors = [...(result.errors ?? []), explanation];
  });
}

/**
 * The beginning of a log, which has the first fault, and its end, which has how far it came: whole
 * lines. Requests are left out, since tests ask again and again.
 */
export function excerptOf(log: string): string {
  const lines = log.split("\n").filter((line) => line !== "" && !line.includes(requestAnswered));
  const first = within(lines);
  const last = within(lines.slice(first.length).reverse()).reverse();
  const left = lines.length - first.length - last.length;
  return [...first, ...(left === 0 ? [] : [`(${left} more lines)`]), ...last].join("\n");
}

const requestAnswered = '"msg":"request.answered"';

/** As many of them as there is room for. */
function within(lines: readonly string[]): string[] {
  const kept: string[] = [];
  let room = longest;
  for (const line of lines) {
    room -= line.length + 1;
    if (room < 0) break;
    kept.push(line);
  }
  return kept;
}
