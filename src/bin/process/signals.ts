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

/** Signals that daemons are often sent and that mean nothing here; they would end the process. */
export function outliveOtherSignals(): void {
  for (const name of ["SIGHUP", "SIGUSR2"] as const) process.on(name, () => {});
}
