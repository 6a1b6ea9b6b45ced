import { createHash } from "node:crypto";
import type { Database } from "../postgres/database.ts";
import { statementsOf } from "../postgres/statements.ts";

/**
 * A word for this database that no other has, wherever it is reached from: 16 hexadecimal digits. A
 * copy of a database under another name is another installation.
 */
export async function readInstallation(db: Database): Promise<string> {
  const rows = await statementsOf(db).$queryRaw<
    { name: string }[]
  >`SELECT current_database() || ' ' || id AS name FROM installation`;
  const names = rows.map((row) => row.name).join();
  return createHash("sha256").update(names).digest("hex").slice(0, 16);
}
