import { type Database, poolOf, reaching } from "./database.ts";
import type { Prisma } from "./generated/client.ts";
import { statement } from "./statement.ts";

/**
 * The rows of a statement that the API runs for nearly every request. It goes past Prisma, over the same pool, because what
 * Prisma does around a statement took longer than the statement. Values as `statement` gives them.
 * @param frequency `frequent`: parsed once for each connection; `rare`: each time
 * @throws Fault `database_unavailable`
 */
export async function readRows<Row>(
  db: Database,
  sql: Prisma.Sql,
  frequency: "frequent" | "rare",
): Promise<Row[]> {
  const query = statement(sql.text, sql.values, frequency === "frequent");
  const { rows } = await reaching(() => poolOf(db).query(query));
  return rows as Row[];
}
