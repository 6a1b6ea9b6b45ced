/** Ctrl-C and its like end what was started, and then this process. */
export function endOnSignal(end) {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.once(signal, () => {
      // Whoever is still at work meets what has ended: that is no news.
      process.on("uncaughtException", () => {});
      end().finally(() => process.exit(signal === "SIGINT" ? 130 : 143));
    });
  }
}
