import { pino } from "pino";
import { withoutErrors } from "./error-fields.ts";
import type { EventLevel, LogEvent } from "./log-events.ts";
import type { Redaction } from "./redaction.ts";
import { shownJson } from "./shown-text.ts";

/** One method a level, each for the events of its level alone. The rest is in the fields. */
export type Logger = {
  [Level in EventLevel]: (fields: object, event: LogEvent<Level>) => void;
};

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";

/** Where lines go: a stream of the process, or whatever takes them. */
export type LogDestination = "stdout" | "stderr" | { write: (line: string) => void };

/**
 * JSON lines. Fields that could hold a secret are redacted, in whatever object they are. Errors are
 * reduced to the parts that may be read. Secrets that the redaction knows are taken out of the
 * finished line, wherever in the line they stand.
 */
export function createLogger(options: {
  level: LogLevel;
  destination: LogDestination;
  redaction: Redaction;
}): Logger {
  const { level, destination } = options;
  const redact = options.redaction.text;
  const secrets = [
    "secret",
    "key",
    "token",
    "authorization",
    "password",
    "databaseUrl",
    "redisUrl",
  ];
  const lines = typeof destination === "string" ? streamOf(destination) : destination;
  return pino(
    {
      level,
      redact: { paths: secrets.flatMap((name) => [name, `*.${name}`]), censor: "[redacted]" },
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (name) => ({ level: name }),
        log: (fields) => ({ ...withoutErrors(fields, redact) }),
      },
    },
    { write: (line) => lines.write(shownJson(redact(line))) },
  );
}

function streamOf(name: "stdout" | "stderr") {
  return pino.destination({ dest: name === "stdout" ? 1 : 2, sync: false });
}
