import { pino } from "pino";

/** The few methods that are used; a message is `noun.verb`, the fields say the rest. */
export type Logger = {
  debug: (fields: object, message: string) => void;
  info: (fields: object, message: string) => void;
  warn: (fields: object, message: string) => void;
  error: (fields: object, message: string) => void;
};

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";

/** JSON lines; fields that could carry a secret are censored whatever object they sit in. */
export function createLogger(options: {
  level: LogLevel;
  destination: "stdout" | "stderr";
}): Logger {
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }), log: (fields) => censored(fields) },
      serializers: { error: (error) => withoutSecrets(pino.stdSerializers.err(error)) },
    },
    pino.destination({ dest: options.destination === "stdout" ? 1 : 2, sync: false }),
  );
}

const secrets = new Set([
  "secret",
  "key",
  "token",
  "authorization",
  "password",
  "databaseUrl",
  "redisUrl",
]);

/**
 * The fields without what may be secret, theirs and of the objects in them; the same object where there is none. By
 * hand, because a line is written for each delivery: pino's own redaction took longer than all the rest of the line.
 */
function censored(fields: Record<string, unknown>): Record<string, unknown> {
  let clean = fields;
  for (const [name, value] of Object.entries(fields)) {
    const shown = secrets.has(name) ? "[redacted]" : isPlain(value) ? withoutSecrets(value) : value;
    if (shown === value) continue;
    if (clean === fields) clean = { ...fields };
    clean[name] = shown;
  }
  return clean;
}

function withoutSecrets<Value>(fields: Value): Value {
  if (typeof fields !== "object" || fields === null) return fields;
  const names = Object.keys(fields).filter((name) => secrets.has(name));
  if (names.length === 0) return fields;
  return { ...fields, ...Object.fromEntries(names.map((name) => [name, "[redacted]"])) };
}

// What is not plain has a serializer, or says of itself how it is shown.
function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
