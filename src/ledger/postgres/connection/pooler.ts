import pg from "pg";
import { connectionTo } from "./choose-server.ts";

/**
 * True if a connection ends at a pooler and not at the server. A pooler announces process numbers
 * of its own. Behind it each statement may use another connection, so nothing of a session lasts.
 */
export async function endsAtPooler(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  return processOf(client) !== rows[0]?.pid;
}

/** The process number that the server or the pooler announced at the login. */
export function processOf(client: pg.ClientBase): unknown {
  return Reflect.get(client, "processID");
}

/** The same for a database, by a connection of its own. Rejects if the database is out of reach. */
export async function leadsToPooler(databaseUrl: string): Promise<boolean> {
  const client = new pg.Client({ ...connectionTo(databaseUrl), connectionTimeoutMillis: 5_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    return await endsAtPooler(client);
  } finally {
    await client.end().catch(() => {});
  }
}
