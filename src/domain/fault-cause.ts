import { faultIn } from "./fault.ts";

/**
 * The message of an error for an operator. That of a database out of reach ends with its cause,
 * such as a wrong password. A business never gets the cause, because it names hosts and users.
 */
export function messageWithCause(error: Error): string {
  const fault = faultIn(error);
  if (fault?.code !== "database_unavailable") return error.message;
  const { cause, message } = fault;
  return cause instanceof Error ? withCause(message, cause.message) : message;
}

/** Both as sentences. */
export function withCause(message: string, cause: string): string {
  return cause === "" ? message : `${message} Cause: ${cause.replace(/\.?$/, ".")}`;
}
