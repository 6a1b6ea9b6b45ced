import type { Duplex } from "node:stream";
import pg from "pg";

/**
 * The driver's way to connect: the same for one connection, a pool, and a library that makes its
 * own.
 */
export type ConnectionSettings = {
  connectionString: string;
  /**
   * Makes the socket; the driver gives it what it knows of the connection. Not there: the driver's
   * own.
   */
  stream?: (...given: unknown[]) => Duplex;
};

/**
 * A connection of its own for one question, beside every pool: what it is asked with answers within
 * `answerMs` or fails, and nobody waits for its end. Throws what the driver throws.
 */
export async function overShortConnection<T>(
  to: ConnectionSettings & { applicationName: string; answerMs: number },
  ask: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const { applicationName, answerMs, ...settings } = to;
  const client = new pg.Client({
    ...settings,
    application_name: applicationName,
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
  });
  client.on("error", () => {});
  try {
    await client.connect();
    return await ask(client);
  } finally {
    client.end().catch(() => {});
  }
}
