/**
 * The fields of a library's error that are logged. None of them can contain data that we sent, such
 * as a password.
 */
const allowedFields = [
  "code",
  "errno",
  "syscall",
  "hostname",
  "address",
  "port",
  "severity",
  "schema",
  "table",
  "constraint",
  "routine",
  "status",
  "statusCode",
] as const;

/**
 * The depth to which causes within causes are logged, and the number of errors of one aggregate.
 */
const deepest = 6;
const mostErrors = 5;

/** Enough for any sentence. A longer message probably contains data. */
const longestMessage = 4_000;

/**
 * The parts of an error that may be logged. They are type, message, causes, our own facts, and only
 * the allowed fields of a library. Other fields contain data: ioredis has a command with its
 * arguments, PostgreSQL the row, and Node the URL. Only unexpected errors have a stack.
 * @param redact runs before any text is shortened, so that no part of a secret remains
 */
function errorFields(error: unknown, redact: (text: string) => string): object {
  return fieldsOf(error, redact, deepest);
}

function fieldsOf(error: unknown, redact: (text: string) => string, depth: number): object {
  if (!(error instanceof Error)) return { type: typeof error, message: cut(String(error), redact) };
  const own: Record<string, unknown> = Object.fromEntries(
    allowedFields.flatMap((name) => {
      const value: unknown = Reflect.get(error, name);
      return typeof value === "string" || typeof value === "number" ? [[name, value]] : [];
    }),
  );
  const facts: unknown = Reflect.get(error, "facts");
  if (typeof facts === "object" && facts !== null) own["facts"] = withoutErrors(facts, redact);
  if (depth > 0 && error instanceof AggregateError) {
    const kept = error.errors.slice(0, mostErrors);
    own["errors"] = kept.map((each: unknown) => fieldsOf(each, redact, depth - 1));
  }
  if (depth > 0 && error.cause !== undefined)
    own["cause"] = fieldsOf(error.cause, redact, depth - 1);
  const { name, stack } = error;
  return {
    type: name,
    message: cut(error.message, redact),
    ...own,
    ...(stack === undefined || isExpected(error) ? {} : { stack: cut(stack, redact) }),
  };
}

/** A Fault's code and message are enough, unless the fault is our own defect. */
function isExpected(error: Error): boolean {
  return error.name === "Fault" && Reflect.get(error, "code") !== "invariant_broken";
}

/** The same fields, with every Error among them reduced as above. */
export function withoutErrors(fields: object, redact: (text: string) => string): object {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    value instanceof Error ? errorFields(value, redact) : value,
  ]);
  return Object.fromEntries(entries);
}

/** Redis repeats the arguments of an unknown command, up to 128 characters of them. */
const repeatedArguments = /(with args beginning with:).*/g;

function cut(text: string, redact: (text: string) => string): string {
  const redacted = redact(text.replace(repeatedArguments, "$1 [redacted]"));
  return redacted.length > longestMessage ? `${redacted.slice(0, longestMessage)} …` : redacted;
}
