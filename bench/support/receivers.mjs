import { fork } from "node:child_process";
import { once } from "node:events";

/** Fewer, and nothing arrives any more: what was lost fails the benchmark instead of hanging it. */
const heardWithinMs = 120_000;

/** Counting receivers in a process of their own; see counting-receivers.mjs. */
export async function openReceivers({ count, answerAfterMs }) {
  const child = fork(
    new URL("counting-receivers.mjs", import.meta.url),
    [count, answerAfterMs].map(String),
  );
  const [ports] = await once(child, "message");
  return {
    ports,
    urls: ports.map((port) => `http://127.0.0.1:${port}/hook`),
    /** Resolves with when the last of that many distinct notifications came, and how many requests there were. */
    async hear(expect) {
      const signal = AbortSignal.timeout(heardWithinMs);
      const told = once(child, "message", { signal });
      // Who asks may be busy with what makes them arrive.
      told.catch(() => {});
      child.send({ expect });
      return (await told)[0];
    },
    end: () => child.kill(),
  };
}
