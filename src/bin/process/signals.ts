export type Signals = {
  /** Aborted by the first SIGTERM or SIGINT; its reason is the signal's name. */
  stopping: AbortSignal;
  /** Resolves with the signal's name. */
  first: Promise<string>;
  /** As if a signal of that name had come. */
  end: (name: string) => void;
};

/**
 * A Ctrl-C reaches the process twice under npm: from the terminal, and passed on by npm. A signal
 * this soon after the first one is its echo, not a second wish.
 */
const echoMs = 500;

/**
 * From now on the first signal asks for an orderly end; a further one, after half a second, ends
 * the process at once with status 1.
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
 * Signals that daemons are often sent and that would end the process. SIGUSR2 means nothing here,
 * and SIGHUP nothing before somebody waits for it.
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

/**
 * Has the process end in order when the terminal is closed that somebody runs it in, and outlive
 * that nothing can be written there.
 */
export function endWithTerminal({ end }: Pick<Signals, "end">): void {
  process.on("SIGHUP", () => end("SIGHUP"));
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}
