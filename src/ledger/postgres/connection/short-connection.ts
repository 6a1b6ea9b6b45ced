import type { Duplex } from "node:stream";
import pg from "pg";

/**
 * The way to connect with the driver. A single connection, a pool and a library of its own all take
 * it.
 */
export type ConnectionSettings = {
  connectionString: string;
  /**
   * The operating system tests a connection that was quiet for so long, in ms. So a dead one fails
   * its query within half a minute, even if nobody closed it.
   */
  keepAlive: true;
  keepAliveInitialDelayMillis: number;
  /** Makes the socket from the driver's arguments. Left out: the driver makes it. */
  stream?: (...given: unknown[]) => Duplex;
};

/**
 * Opens a connection outside of every pool, and runs `work` on it. Each query must answer within
 * `answerMs`, or it fails. Does not wait for the connection to close. Throws what the driver
 * throws.
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
