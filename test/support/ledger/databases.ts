import { randomUUID } from "node:crypto";
import { Client } from "pg";

/** The database that `createTestDatabase` copies: migrated once, by the global set-up. */
export const TEMPLATE_DATABASE = "chainbell_template";

/** The same server's URL for another database. */
export function databaseUrl(adminUrl: string, name: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/**
 * The same database by a socket in a folder of this machine. It takes a part of the CPU time that
 * TCP takes, on both sides.
 */
export function bySocket(url: string, folder: string): string {
  const near = new URL(url);
  near.searchParams.set("host", folder);
  return near.href;
}

/** The same database over TCP: for whoever stands in between, or wants another port or host. */
export function overTcp(url: string): URL {
  const far = new URL(url);
  far.searchParams.delete("host");
  return far;
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

export type TestDatabase = {
  url: string;
  /** Ends every connection to it and removes it. Safe to repeat. */
  drop: () => Promise<void>;
};

const TEMPLATE_IN_USE = "55006";
const COPY_ATTEMPTS = 50;

/**
 * A database of its own with the whole schema and no rows, copied from one that was migrated once.
 */
export async function copyTestDatabase(adminUrl: string): Promise<TestDatabase> {
  const name = newName();
  await copyDatabase(adminUrl, { from: TEMPLATE_DATABASE, to: name });
  return named(adminUrl, name);
}

/** A database of its own with nothing in it. */
export async function createDatabase(adminUrl: string): Promise<TestDatabase> {
  const name = newName();
  await runSql(adminUrl, `CREATE DATABASE ${name} TEMPLATE template0`);
  return named(adminUrl, name);
}

/**
 * A copy of a database as it is now, to which nobody may be connected: what a restored backup is.
 */
export async function copyOf(adminUrl: string, url: string): Promise<TestDatabase> {
  const name = newName();
  await copyDatabase(adminUrl, { from: new URL(url).pathname.slice(1), to: name });
  return named(adminUrl, name);
}

function newName(): string {
  return `test_${randomUUID().replaceAll("-", "")}`;
}

function named(adminUrl: string, name: string): TestDatabase {
  return {
    url: databaseUrl(adminUrl, name),
    drop: () => runSql(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

// Another worker's copy may hold the template for a moment, and so may a connection that has just
// ended.
async function copyDatabase(adminUrl: string, { from, to }: { from: string; to: string }) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      // Copying the files takes a third of the CPU time of copying them through the log.
      await runSql(adminUrl, `CREATE DATABASE ${to} TEMPLATE ${from} STRATEGY FILE_COPY`);
      return;
    } catch (error) {
      const busy = error instanceof Error && "code" in error && error.code === TEMPLATE_IN_USE;
      if (!busy || attempt === COPY_ATTEMPTS) throw error;
    }
  }
}
