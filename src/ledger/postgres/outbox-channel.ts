import type { Statements } from "./statements.ts";

/**
 * The channel that wakes the relay, and those who wait for the feed. The message names the
 * businesses that were just notified of something. The outbox says the rest.
 */
export const outboxChannel = "chainbell_outbox";

/**
 * Wakes the relay, in a transaction when that commits; PostgreSQL folds the wake-ups of one
 * transaction into one.
 */
export async function wakeRelay(tx: Statements): Promise<void> {
  await tx.$executeRaw`SELECT pg_notify(${outboxChannel}, '')`;
}

/** A message has less than 8,000 bytes: https://www.postgresql.org/docs/current/sql-notify.html */
const mostNamed = 200;

const everybody = "*";

/** The message of a commit that writes notifications of these businesses. */
export function messageOf(businessIds: Iterable<string>): string {
  const named = [...new Set(businessIds)];
  return named.length > mostNamed ? everybody : named.join(",");
}

/** The businesses that were just notified of something. Everybody: it may have been any. */
export type Notified = readonly string[] | "everybody";

/** The businesses that a message names. */
export function namedIn(message: string): Notified {
  if (message === everybody) return "everybody";
  return message === "" ? [] : message.split(",");
}
