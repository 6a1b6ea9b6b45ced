import { Presets, SingleBar } from "cli-progress";

/** Shows how far a long verb is, to people; `end` leaves the line as it is. */
export type Progress = { update: (done: number) => void; end: () => void };

/** Where there is no terminal, a line every so often. */
const lineEveryMs = 2_000;

/** A bar on standard error, so that standard output stays the answer's. */
export function showProgress(title: string, total: number): Progress {
  const bar = new SingleBar(
    {
      format: `${title} [{bar}] {percentage}% | {value}/{total} | {eta_formatted} left`,
      stream: process.stderr,
      noTTYOutput: true,
      notTTYSchedule: lineEveryMs,
      hideCursor: true,
    },
    Presets.shades_classic,
  );
  bar.start(total, 0);
  return { update: (done) => bar.update(done), end: () => bar.stop() };
}
