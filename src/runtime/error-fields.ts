/**
 * The fields that are kept of an error of some library. None of them can hold data that we sent,
 * such as a password.
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

/** Causes within causes, and errors of one aggregate, that are kept. */
const deepest = 6;
const mostErrors = 5;

/** Enough for any sentence. A longer one holds somebody's data. */
const longestMessage = 4_000;

/**
 * An error as it may be logged: type, message, causes, our own facts, and of a library's fields the
 * allowed ones alone. ioredis keeps a command with its arguments, PostgreSQL the row, and Node the
 * URL. A stack stands only where nobody expected the error.
 * @param redact is applied before anything is cut off, so that no part of a secret remains
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

/** A Fault's code and sentence say all, unless the fault is a defect of ours. */
function isExpected(error: Error): boolean {
  return error.name === "Fault" && Reflect.get(error, "code") !== "invariant_broken";
}

/** The same fields; an Error among them is reduced like any other. */
export function withoutErrors(fields: object, redact: (text: string) => string): object {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    value instanceof Error ? errorFields(value, redact) : value,
  ]);
  return Object.fromEntries(entries);
}

/**
 * Redis repeats the arguments of a command that it does not know, the first 128 characters of them.
 */
const repeatedArguments = /(with args beginning with:).*/g;

function cut(text: string, redact: (text: string) => string): string {
  const redacted = redact(text.replace(repeatedArguments, "$1 [redacted]"));
  return redacted.length > longestMessage ? `${redacted.slice(0, longestMessage)} …` : redacted;
}
