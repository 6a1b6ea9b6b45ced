import { createHash } from "node:crypto";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";

/**
 * A name of this database that no other one has: 16 hexadecimal digits. It does not depend on how
 * the database is reached. A copy under another database name is another installation.
 */
export async function readInstallation(db: Database): Promise<string> {
  const rows = await statementsOf(db).$queryRaw<
    { name: string }[]
  >`SELECT current_database() || ' ' || id AS name FROM installation`;
  const names = rows.map((row) => row.name).join();
  return createHash("sha256").update(names).digest("hex").slice(0, 16);
}
