import type { ChannelFailure } from "../domain/alerts/channel-failure.ts";
import { asError } from "../runtime/as-error.ts";

/** A channel did not take a message, and it is known why. */
export class NotTaken extends Error {
  readonly code: Exclude<ChannelFailure["code"], "failed">;
  readonly values: ChannelFailure["values"];

  constructor({ message, code, values }: ChannelFailure & { code: NotTaken["code"] }) {
    super(message);
    this.code = code;
    this.values = values;
  }
}

/** The most characters of a failure that are stored and shown. */
const longestFailure = 300;

/** Any error of an attempt as a failure, shortened and without secrets. */
export function failureOf(thrown: unknown, redact: (text: string) => string): ChannelFailure {
  const shortened = (text: string) => redact(text).slice(0, longestFailure);
  const message = shortened(failureText(thrown));
  if (isTimeout(thrown)) return { message, code: "late", values: {} };
  if (!(thrown instanceof NotTaken)) return { message, code: "failed", values: { error: message } };
  const values = Object.entries(thrown.values).map(([name, text]) => [name, shortened(text)]);
  return { message, code: thrown.code, values: Object.fromEntries(values) };
}

/** The time limit of a fetch (`AbortSignal.timeout`) ends it with an error of this name. */
function isTimeout(thrown: unknown): boolean {
  return asError(thrown).name === "TimeoutError";
}

/** The text of an error with its causes. Only the causes say why a fetch failed. */
export function failureText(thrown: unknown): string {
  const texts: string[] = [];
  for (let error: unknown = thrown; error !== undefined && texts.length < 4; ) {
    const { message, cause } = asError(error);
    texts.push(message);
    error = cause;
  }
  return texts
    .filter((text) => text !== "")
    .join(": ")
    .replaceAll("\u0000", " ");
}
