import { Client } from "pg";

/** The database that `createTestDatabase` copies: migrated once, by the global set-up. */
export const TEMPLATE_DATABASE = "chainbell_template";

/** The same server's URL for another database. */
export function databaseUrl(adminUrl: string, name: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs one statement on a connection of its own. */
export async function runSql(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
