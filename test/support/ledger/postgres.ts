import { inject } from "vitest";
import { copyOf, copyTestDatabase, emptyDatabase, type TestDatabase } from "./databases.ts";

export type { TestDatabase } from "./databases.ts";

/** A database of its own with the whole schema and no rows, on the server that all tests share. */
export function createTestDatabase(): Promise<TestDatabase> {
  return copyTestDatabase(inject("postgresAdminUrl"));
}

/** A copy of a test's database as it is now, to which nobody may be connected: what a restored backup is. */
export function restoreTestDatabase(url: string): Promise<TestDatabase> {
  return copyOf(inject("postgresAdminUrl"), url);
}

/** A database with nothing in it, on the same server: what a release of its own migrates. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return emptyDatabase(inject("postgresAdminUrl"));
}
