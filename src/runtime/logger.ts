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
  const secrets = [
    "secret",
    "key",
    "token",
    "authorization",
    "password",
    "databaseUrl",
    "redisUrl",
  ];
  return pino(
    {
      level: options.level,
      redact: { paths: secrets.flatMap((name) => [name, `*.${name}`]), censor: "[redacted]" },
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
      serializers: { error: pino.stdSerializers.err },
    },
    pino.destination({ dest: options.destination === "stdout" ? 1 : 2, sync: false }),
  );
}
