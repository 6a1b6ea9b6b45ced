/** `troubled`: those that warn or say an error; `perSecond` of those. */
export type LineCount = { all: number; troubled: number; perSecond: number };

/**
 * Counts what daemons write to their logs between `begin` and `end`: every line, and those that
 * warn.
 */
export function countLines() {
  let counts = { all: 0, troubled: 0 };
  let beganMs = 0;
  let rest = "";
  return {
    written(text: string): void {
      const lines = `${rest}${text}`.split("\n");
      rest = lines.pop() ?? "";
      counts.all += lines.length;
      counts.troubled += lines.filter((line) =>
        /"level":"?(?:warn|error|fatal|[456]0)/.test(line),
      ).length;
    },
    begin(): void {
      counts = { all: 0, troubled: 0 };
      beganMs = performance.now();
    },
    end(): LineCount {
      const seconds = (performance.now() - beganMs) / 1_000;
      return { ...counts, perSecond: counts.troubled / seconds };
    },
  };
}
