import type { Statements } from "./statements.ts";

/**
 * The channel that wakes the relay, and requests that wait for the feed. A message only names the
 * businesses with new notifications. Readers look in the outbox for the rest.
 */
export const outboxChannel = "chainbell_outbox";

/**
 * Wakes the relay; within a transaction, at its commit. PostgreSQL merges equal wake-ups of one
 * transaction.
 */
export async function wakeRelay(tx: Statements): Promise<void> {
  await tx.$executeRaw`SELECT pg_notify(${outboxChannel}, '')`;
}

/** A message has less than 8,000 bytes: https://www.postgresql.org/docs/current/sql-notify.html */
const mostNamed = 200;

const everybody = "*";

/** The message of a commit that notifies these businesses. */
export function messageOf(businessIds: Iterable<string>): string {
  const named = [...new Set(businessIds)];
  return named.length > mostNamed ? everybody : named.join(",");
}

/** The businesses with new notifications. "everybody": it may be any business. */
export type Notified = readonly string[] | "everybody";

/** The businesses that a message names. */
export function namedIn(message: string): Notified {
  if (message === everybody) return "everybody";
  return message === "" ? [] : message.split(",");
}
