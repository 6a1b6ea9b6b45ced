import { inject } from "vitest";
import { copyTestDatabase, type TestDatabase } from "./databases.ts";

export type { TestDatabase } from "./databases.ts";

/** A database of its own with the whole schema and no rows, on the server that all tests share. */
export function createTestDatabase(): Promise<TestDatabase> {
  return copyTestDatabase(inject("postgresAdminUrl"));
}
