import type { Statements } from "./statements.ts";

/** The channel that wakes the relay; the message is empty, the outbox says the rest. */
export const outboxChannel = "chainbell_outbox";

/**
 * Wakes the relay, in a transaction when that commits; PostgreSQL folds the wake-ups of one
 * transaction into one.
 */
export async function wakeRelay(tx: Statements): Promise<void> {
  await tx.$executeRaw`SELECT pg_notify(${outboxChannel}, '')`;
}
