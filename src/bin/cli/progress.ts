import yoctoSpinner from "yocto-spinner";
import type { Progress } from "../../operator/verb-bindings.ts";

/** The pause between two writes: in a terminal, and without one, where each text is a new line. */
const terminalEveryMs = 100;
const lineEveryMs = 2_000;

/** Writes to standard error, because standard output has only the answer. */
export function showProgress(title: string, total: number): Progress {
  const stream = process.stderr;
  const everyMs = stream.isTTY ? terminalEveryMs : lineEveryMs;
  const startMs = Date.now();
  let shownMs = startMs;
  let text = describe(title, { done: 0, total, elapsedMs: 0 });
  // The verb handles signals.
  const spinner = yoctoSpinner({ stream, handleSignals: false }).start(text);
  return {
    update(done) {
      const nowMs = Date.now();
      text = describe(title, { done, total, elapsedMs: nowMs - startMs });
      if (nowMs - shownMs < everyMs) return;
      shownMs = nowMs;
      spinner.text = text;
    },
    end() {
      spinner.stop(text);
    },
  };
}

function describe(
  title: string,
  { done, total, elapsedMs }: { done: number; total: number; elapsedMs: number },
): string {
  const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
  const leftS = Math.round(((elapsedMs / done) * (total - done)) / 1_000);
  const left = done > 0 && done < total ? ` | ${leftS} s left` : "";
  return `${title} ${percent}% | ${done}/${total}${left}`;
}
