import type { Trouble } from "./trouble.ts";

/**
 * A part of the daemon that is started and stopped. `start` resolves when it is ready to work.
 * `stop` resolves when it has stopped and has nothing open. `stop` may be called without a start,
 * and twice.
 */
export type Service = {
  name: string;
  start: () => Promise<void>;
  stop: () => Promise<void>;
  /**
   * The reason why it makes no progress. Null: it does. A loop that is stuck is in trouble,
   * although it runs.
   */
  trouble: () => Trouble | null;
};

/**
 * A service for something that is only open: it needs no start, cannot be stuck, and is closed by
 * `stop`.
 */
export function closing(name: string, close: () => Promise<void> | void): Service {
  let closed: Promise<void> | null = null;
  return {
    name,
    start: async () => {},
    stop() {
      closed ??= (async () => close())();
      return closed;
    },
    trouble: () => null,
  };
}
