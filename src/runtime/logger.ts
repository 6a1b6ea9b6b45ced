import { pino } from "pino";

/** The few methods that are used. A message is `noun.verb`; the rest is in the fields. */
export type Logger = {
  debug: (fields: object, message: string) => void;
  info: (fields: object, message: string) => void;
  warn: (fields: object, message: string) => void;
  error: (fields: object, message: string) => void;
};

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";

/** JSON lines. Fields that could hold a secret are redacted, in whatever object they are. */
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
