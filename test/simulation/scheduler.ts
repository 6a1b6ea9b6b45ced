import { setImmediate } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Clock } from "../../src/runtime/clock.ts";
import type { Random } from "./random.ts";

/**
 * One life of an actor: a process, or an operator. Once ended it never gets an answer again, as
 * after a SIGKILL.
 */
export type Life = { name: string; isOver: boolean };

type Waiting = { life: Life; label: string; go: () => Promise<void> };

type Timer = { life: Life; atMs: number; fire: () => void };

export type Scheduler = ReturnType<typeof createScheduler>;

/**
 * Decides what happens next. Whatever an actor asks of the world (a question to a node, a ledger
 * transaction) waits here until it is picked, and then runs to its end before anything else does;
 * between two of them any actor may die. Time passes only when the scheduler moves it. All else in
 * the code under test takes none, so one seed is one order of events.
 */
export function createScheduler(random: Random, startMs: number) {
  let waiting: Waiting[] = [];
  let timers: Timer[] = [];
  let nowMs = startMs;
  let turns = 0;
  const trace: string[] = [];

  function note(line: string): void {
    trace.push(`${turns} +${((nowMs - startMs) / 1000).toFixed(1)}s ${line}`);
  }

  function sleep(life: Life, ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (life.isOver) return;
      if (signal.aborted) return resolve();
      const end = () => {
        timers = timers.filter((one) => one !== timer);
        signal.removeEventListener("abort", end);
        if (!life.isOver) resolve();
      };
      const timer = { life, atMs: nowMs + Math.max(0, ms), fire: end };
      timers.push(timer);
      signal.addEventListener("abort", end, { once: true });
    });
  }

  async function passUntil(ms: number): Promise<void> {
    nowMs = Math.max(nowMs, ms);
    const due = timers.filter((timer) => timer.atMs <= nowMs).sort((a, b) => a.atMs - b.atMs);
    for (const timer of due) timer.fire();
    await settle();
  }

  return {
    trace,
    note,
    now: () => nowMs,
    turns: () => turns,
    begin: (name: string): Life => ({ name, isOver: false }),
    clockOf: (life: Life): Clock => ({
      now: () => nowMs,
      elapsed: () => nowMs,
      sleep: (ms, signal) => sleep(life, ms, signal),
    }),

    /** Runs `work` when this is picked; what it comes to never reaches a life that is over. */
    enter<T>(life: Life, label: string, work: () => Promise<T>): Promise<T> {
      return new Promise((resolve, reject) => {
        if (life.isOver) return;
        const go = async () => {
          try {
            const value = await work();
            if (!life.isOver) resolve(value);
          } catch (error) {
            if (!life.isOver) reject(error);
          }
        };
        waiting.push({ life, label, go });
      });
    },

    /** Ends a life. What it was waiting for does not happen. */
    end(life: Life): void {
      life.isOver = true;
      waiting = waiting.filter((one) => one.life !== life);
      timers = timers.filter((one) => one.life !== life);
      note(`${life.name} dies`);
    },

    /** Whether anybody waits to be picked, or somebody of one of these names. */
    isWaiting: (names?: readonly string[]): boolean =>
      waiting.some(({ life }) => names === undefined || names.includes(life.name)),

    /** Lets `count` of those that wait go on, at the same time where there are several. */
    async turn(count: number): Promise<void> {
      turns += 1;
      const picked: Waiting[] = [];
      for (let place = 0; place < count && waiting.length > 0; place += 1) {
        const one = random.pick(waiting);
        waiting = waiting.filter((other) => other !== one);
        picked.push(one);
        note(`${one.life.name} ${one.label}`);
      }
      await Promise.all(picked.map((one) => one.go()));
      await settle();
    },

    /** To the moment for which the first of those that sleep waits. */
    async passToNext(): Promise<void> {
      turns += 1;
      await passUntil(timers.reduce((first, { atMs }) => Math.min(first, atMs), nowMs + 60_000));
    },

    async pass(ms: number): Promise<void> {
      note(`${ms / 1000} s pass`);
      await passUntil(nowMs + ms);
    },
  };
}

/** Lets what has its answer run up to whatever it asks for next. */
async function settle(): Promise<void> {
  do await setImmediate();
  while (loading > 0);
}

// What the code under test waits for beside the world must not be a race with everything else: a
// process compiles its hash function at its first block, and many signatures are looked at in a
// thread.
let loading = 0;
const assembly = Reflect.get(globalThis, "WebAssembly") as Record<
  "instantiate",
  (...input: unknown[]) => Promise<unknown>
>;
const { instantiate } = assembly;
assembly.instantiate = async (...input) => {
  loading += 1;
  try {
    return await instantiate(...input);
  } finally {
    loading -= 1;
  }
};

const { postMessage } = Worker.prototype;
Worker.prototype.postMessage = function (this: Worker, ...message) {
  loading += 1;
  // One answer to each message.
  this.once("message", () => {
    loading -= 1;
  });
  postMessage.apply(this, message);
};
