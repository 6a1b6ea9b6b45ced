import type { OnProgress } from "../../domain/evidence/made-statement.ts";
import type { Progress, ShowProgress } from "../verb-bindings.ts";

/** A statement with fewer entries is so fast that no progress is shown. */
const worthShowing = 10_000;

/** Shows nothing, for a verb that shows its own progress. */
export const unshown: ShowProgress = () => ({ update() {}, end() {} });

/** Shows the progress of a long statement, and nothing for a short one. */
export function progressOf(
  showProgress: ShowProgress,
  title: string,
): { onProgress: OnProgress; end: () => void } {
  let bar: Progress | null = null;
  return {
    onProgress(done, total) {
      if (total < worthShowing) return;
      bar ??= showProgress(title, total);
      bar.update(Math.min(done, total));
    },
    end: () => bar?.end(),
  };
}

/** Yields the same texts, and shows how many of `entries` were read. */
export async function* shown(
  showProgress: ShowProgress,
  texts: AsyncIterable<string>,
  entries: number,
): AsyncGenerator<string> {
  const bar = progressOf(showProgress, "entries written");
  let done = 0;
  try {
    for await (const text of texts) {
      yield text;
      for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) done += 1;
      bar.onProgress(done, entries);
    }
  } finally {
    bar.end();
  }
}
