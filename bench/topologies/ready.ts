import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "../../test/support/wait-for.ts";

const everyMs = 500;
const timeoutMs = 5_000;

/** Asks a daemon over and over whether it is ready. What does not answer in time is not. */
export function watchReady(url: () => string) {
  const looks: { atMs: number; isReady: boolean }[] = [];
  let isStopped = false;
  const running = (async () => {
    while (!isStopped) {
      const signal = AbortSignal.timeout(timeoutMs);
      const isReady = await fetch(`${url()}/health/ready`, { signal }).then(
        ({ ok }) => ok,
        () => false,
      );
      looks.push({ atMs: Date.now(), isReady });
      await sleep(everyMs);
    }
  })();
  return {
    /** Waits until it was ready after this, at most for so long. */
    async until(finishedMs: number, timeoutMs: number): Promise<void> {
      const isAgain = () => looks.some(({ atMs, isReady }) => atMs >= finishedMs && isReady);
      await waitFor(isAgain, { what: "readiness", timeoutMs }).catch(() => {});
    },
    /** In s; see `Seen`. */
    between(beganMs: number, finishedMs: number) {
      const during = looks.filter(({ atMs }) => atMs >= beganMs && atMs < finishedMs);
      const unready = during.find(({ isReady }) => !isReady);
      const ready = looks.find(({ atMs, isReady }) => atMs >= finishedMs && isReady);
      return {
        unreadyAfter: unready === undefined ? null : (unready.atMs - beganMs) / 1_000,
        readyAfter: ready === undefined ? null : (ready.atMs - finishedMs) / 1_000,
      };
    },
    async stop(): Promise<void> {
      isStopped = true;
      await running;
    },
  };
}
