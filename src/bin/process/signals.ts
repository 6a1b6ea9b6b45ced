export type Signals = {
  /** Aborted by the first SIGTERM or SIGINT; its reason is the signal's name. */
  stopping: AbortSignal;
  /** Resolves with the signal's name. */
  first: Promise<string>;
};

/** From now on the first signal asks for an orderly end, and the second one ends the process at once with status 1. */
export function listenForSignals(): Signals {
  const controller = new AbortController();
  const first = new Promise<string>((resolve) => {
    const onSignal = (name: string) => {
      if (controller.signal.aborted) process.exit(1);
      controller.abort(name);
      resolve(name);
    };
    process.on("SIGTERM", onSignal);
    process.on("SIGINT", onSignal);
  });
  return { stopping: controller.signal, first };
}
