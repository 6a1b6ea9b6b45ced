import { unread } from "./exit-status.ts";

export type Signals = {
  /** Aborted by the first SIGTERM or SIGINT; its reason is the signal's name. */
  stopping: AbortSignal;
  /** Resolves with the signal's name. */
  first: Promise<string>;
  /** Ends as if a signal with this name had come. */
  end: (name: string) => void;
};

/**
 * Under npm, a Ctrl-C reaches the process twice: from the terminal, and from npm. A second signal
 * within this time, in ms, counts as the same one.
 */
const echoMs = 500;

/**
 * From now on, the first signal asks for an orderly end. Another one, after half a second, ends the
 * process at once with status 1.
 */
export function listenForSignals(): Signals {
  const controller = new AbortController();
  const { signal: stopping } = controller;
  const first = new Promise<string>((resolve) => {
    stopping.addEventListener("abort", () => resolve(stopping.reason), { once: true });
  });
  let firstAtMs = 0;
  const end = (name: string) => {
    if (stopping.aborted) {
      if (performance.now() - firstAtMs >= echoMs) process.exit(1);
      return;
    }
    firstAtMs = performance.now();
    controller.abort(name);
  };
  process.on("SIGTERM", end);
  process.on("SIGINT", end);
  return { stopping, first, end };
}

/**
 * Ignores signals that daemons often get and that would end the process: SIGUSR2, and SIGHUP until
 * `onHangUp` is called.
 */
export function outliveOtherSignals(): { onHangUp: (work: () => void) => void } {
  let whenHungUp = () => {};
  process.on("SIGHUP", () => whenHungUp());
  process.on("SIGUSR2", () => {});
  return {
    onHangUp(work) {
      whenHungUp = work;
    },
  };
}

/** Ends the process without a word once nobody reads its output any more, as after `| head`. */
export function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      process.exit(unread);
    });
}

/**
 * Ends the process in order when its terminal is closed, even though nothing can be written there
 * any more.
 */
export function endWithTerminal({ end }: Pick<Signals, "end">): void {
  process.on("SIGHUP", () => end("SIGHUP"));
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}
