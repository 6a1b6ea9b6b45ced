import { setImmediate } from "node:timers/promises";
import type { Random } from "./random.ts";

/** One life of an actor: a process, or a task in one. Once ended it never gets an answer again, as after a SIGKILL. */
export type Life = { name: string; side: Side; isOver: boolean };

/** The two sides draw from streams of their own, so that deliveries never change what becomes of a ledger. */
export type Side = "ledger" | "delivery";

type Waiting = { life: Life; label: string; go: () => Promise<void> };

export type Scheduler = ReturnType<typeof createScheduler>;

/**
 * Decides what happens next. Whatever an actor asks of the world (a question to the chain, a ledger transaction) waits
 * here until it is picked, and then runs to its end before anything else does; between two of them any actor may die.
 * All else in the code under test takes no time, so one seed is one order of events.
 */
export function createScheduler(randoms: Record<Side, Random>) {
  let waiting: Waiting[] = [];
  const trace: string[] = [];
  let turns = 0;

  function note(line: string): void {
    trace.push(`${turns} ${line}`);
  }

  return {
    trace,
    note,
    turns: () => turns,
    begin: (name: string, side: Side): Life => ({ name, side, isOver: false }),

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
      note(`${life.name} dies`);
    },

    isWaiting: (side: Side): boolean => waiting.some((one) => one.life.side === side),

    /** Lets `count` of those that wait go on, at the same time where there are several. */
    async turn(side: Side, count: number): Promise<void> {
      turns += 1;
      const picked: Waiting[] = [];
      for (let place = 0; place < count; place += 1) {
        const open = waiting.filter((one) => one.life.side === side);
        if (open.length === 0) break;
        const one = randoms[side].pick(open);
        waiting = waiting.filter((other) => other !== one);
        picked.push(one);
        note(`${one.life.name} ${one.label}`);
      }
      await Promise.all(picked.map((one) => one.go()));
      // Their continuations run up to whatever they ask for next.
      await setImmediate();
    },
  };
}
