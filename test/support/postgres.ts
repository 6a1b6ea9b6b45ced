import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { databaseUrl, runSql, TEMPLATE_DATABASE } from "./databases.ts";

export type TestDatabase = {
  url: string;
  /** Ends every connection to it and removes it. Safe to repeat. */
  drop: () => Promise<void>;
};

const TEMPLATE_IN_USE = "55006";
const COPY_ATTEMPTS = 50;

/** A database of its own with the whole schema and no rows, copied from one that was migrated once. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const adminUrl = inject("postgresAdminUrl");
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await copyTemplate(adminUrl, name);
  return {
    url: databaseUrl(adminUrl, name),
    drop: () => runSql(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

// Another worker's copy may hold the template for a moment.
async function copyTemplate(adminUrl: string, name: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await runSql(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE_DATABASE}`);
      return;
    } catch (error) {
      const busy = error instanceof Error && "code" in error && error.code === TEMPLATE_IN_USE;
      if (!busy || attempt === COPY_ATTEMPTS) throw error;
    }
  }
}
