import { pino } from "pino";
import { withoutErrors } from "./error-fields.ts";
import { type LineOutput, lineOutput } from "./line-output.ts";
import type { EventLevel, LogEvent } from "./log-events.ts";
import type { Redaction } from "./redaction.ts";
import { shownJson } from "./shown-text.ts";

/** One method for each level, with the events of that level. The fields say the rest. */
export type Logger = {
  [Level in EventLevel]: (fields: object, event: LogEvent<Level>) => void;
};

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";

/** Where lines go: a stream of the process, or a function. */
export type LogDestination = "stdout" | "stderr" | LineOutput;

/**
 * Writes JSON lines. Redacts fields that could contain a secret, in any object. Reduces errors to
 * the parts that may be read. Then removes the secrets that the redaction knows from the finished
 * line.
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
  const lines =
    typeof destination === "string" ? lineOutput(descriptors[destination]) : destination;
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

const descriptors = { stdout: 1, stderr: 2 } as const;
