import type { Clock } from "./clock.ts";
import type { LogEvent } from "./log-events.ts";
import type { Logger } from "./logger.ts";

/** A repeated line is written at most this often. */
const repeatEveryMs = 60_000;

/** The number of warnings and errors that are written per second, whatever they say. */
const linesPerSecond = 10;

/** The most different lines that are remembered. */
const maxKnown = 500;

type Known = { writtenMs: number; repeated: number };

/**
 * A logger that writes the same warning or error at most once a minute. The next time, it says how
 * often the line was `repeated` since. It writes at most ten of them a second, and says how many
 * were `dropped`. Two lines are the same if message and error are. All other lines are written as
 * they come, including warnings and errors without an `error`.
 */
export function thinLog(log: Logger, clock: Pick<Clock, "elapsed">): Logger {
  const known = new Map<string, Known>();
  let second = { sinceMs: Number.NEGATIVE_INFINITY, lines: 0 };
  let dropped = 0;

  /** The extra fields to write with the line. Null: the line is not written. */
  function pass(key: string): object | null {
    const now = clock.elapsed();
    const before = known.get(key);
    if (before !== undefined && now - before.writtenMs < repeatEveryMs) {
      before.repeated += 1;
      return null;
    }
    if (now - second.sinceMs >= 1_000) second = { sinceMs: now, lines: 0 };
    if (second.lines >= linesPerSecond) {
      dropped += 1;
      return null;
    }
    second.lines += 1;
    remember(key, now);
    const repeated = before?.repeated ?? 0;
    const lost = dropped;
    dropped = 0;
    return { ...(repeated > 0 ? { repeated } : {}), ...(lost > 0 ? { dropped: lost } : {}) };
  }

  function remember(key: string, now: number): void {
    known.delete(key);
    known.set(key, { writtenMs: now, repeated: 0 });
    const [oldest] = known.keys();
    if (known.size > maxKnown && oldest !== undefined) known.delete(oldest);
  }

  const thinned =
    <Level extends "warn" | "error">(level: Level) =>
    (fields: object, event: LogEvent<Level>): void => {
      const more = "error" in fields ? pass(`${event} ${textOf(fields.error)}`) : {};
      if (more !== null) log[level]({ ...fields, ...more }, event);
    };
  return {
    debug: (fields, event) => log.debug(fields, event),
    info: (fields, event) => log.info(fields, event),
    warn: thinned("warn"),
    error: thinned("error"),
  };
}

/** Leaves out numbers, which differ each time: ports, counts, durations. */
function textOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name} ${error.message}` : String(error);
  return text.slice(0, 300).replace(/\d+/g, "0");
}
