import pg from "pg";
import { connectionTo } from "./choose-server.ts";

/**
 * True if a connection ends at a pooler and not at the server. A pooler gives out process numbers
 * of its own. There, each statement may go over another connection, so nothing that belongs to a
 * session can be relied on.
 */
export async function endsAtPooler(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  return processOf(client) !== rows[0]?.pid;
}

/** The number that whoever accepted the connection has announced. */
export function processOf(client: pg.ClientBase): unknown {
  return Reflect.get(client, "processID");
}

/** The same for a database, by a connection of its own. Rejects where it is out of reach. */
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
