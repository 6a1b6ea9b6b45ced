import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { endWithUs } from "../../test/support/process/reaper.ts";
import { type Build, ourBuild, programFile } from "./build.ts";
import type { Programs, Sent } from "./protocol.ts";

export type Program<Name extends keyof Programs> = {
  ready: Programs[Name]["ready"];
  /**
   * One question at a time. Rejects with what failed in the program, where it ends before it has
   * answered, and where it has not answered in time.
   */
  ask: (
    question: Programs[Name]["question"],
    timeoutMs?: number,
  ) => Promise<Programs[Name]["answer"]>;
  stop: () => Promise<void>;
};

/** What no answer takes, unless it is asked with another one. */
const timeoutMs = 600_000;

/**
 * Starts a program of ../programs in a process of its own, so that it costs the benchmark nothing
 * of its event loop. Resolves once it works.
 * @param options.build whose program it is; ours where nothing is said
 * @param options.nodeArgs go to Node
 */
export async function startProgram<Name extends keyof Programs>(
  name: Name,
  given: Programs[Name]["given"],
  options: { build?: Build; nodeArgs?: readonly string[] } = {},
): Promise<Program<Name>> {
  const { build = ourBuild, nodeArgs = [] } = options;
  const file = programFile(build, name);
  const child = fork(file, [JSON.stringify(given)], { execArgv: [...nodeArgs] });
  const reaped = endWithUs(child.pid ?? 0);
  const ready = (await answerOf({ child, name, timeoutMs })) as Programs[Name]["ready"];
  return {
    ready,
    async ask(question, within = timeoutMs) {
      const answered = answerOf({ child, name, timeoutMs: within });
      child.send(question);
      return (await answered) as Programs[Name]["answer"];
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, "exit");
        child.kill();
        await exited;
      }
      reaped.forget();
    },
  };
}

type Started = { child: ChildProcess; name: string; timeoutMs: number };

async function answerOf({ child, name, timeoutMs }: Started): Promise<unknown> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(timeoutMs)]);
  const ended = once(child, "exit", { signal }).then(([code]) => {
    throw new Error(`The program ${name} ended with status ${code}.`);
  });
  // Whoever is answered first no longer waits for the end.
  ended.catch(() => {});
  try {
    const [sent] = (await Promise.race([once(child, "message", { signal }), ended])) as [
      Sent<unknown>,
    ];
    if (sent.kind === "failure") throw new Error(`The program ${name} failed: ${sent.reason}`);
    return sent.value;
  } finally {
    over.abort();
  }
}
