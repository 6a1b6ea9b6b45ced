export type Signals = {
  /** Aborted by the first SIGTERM or SIGINT; its reason is the signal's name. */
  stopping: AbortSignal;
  /** Resolves with the signal's name. */
  first: Promise<string>;
};

/**
 * A Ctrl-C reaches the process twice under npm: from the terminal, and passed on by npm. A signal this soon after the
 * first one is its echo, not a second wish.
 */
const echoMs = 500;

/**
 * From now on the first signal asks for an orderly end; a further one, after half a second, ends the process at once
 * with status 1.
 */
export function listenForSignals(): Signals {
  const controller = new AbortController();
  const first = new Promise<string>((resolve) => {
    let firstAtMs = 0;
    const onSignal = (name: string) => {
      if (controller.signal.aborted) {
        if (performance.now() - firstAtMs >= echoMs) process.exit(1);
        return;
      }
      firstAtMs = performance.now();
      controller.abort(name);
      resolve(name);
    };
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
  });
  return { stopping: controller.signal, first };
}

/**
 * Signals that daemons are often sent and that would end the process. SIGUSR2 means nothing here, and SIGHUP nothing before
 * somebody waits for it.
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
