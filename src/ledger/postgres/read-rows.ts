import type { Prisma } from "../generated/client.ts";
import { type Database, poolOf, reaching } from "./database.ts";
import { statement } from "./statement.ts";

/**
 * The rows of a statement that the API runs for nearly every request. It goes past Prisma, over the same pool, because what
 * Prisma does around a statement took longer than the statement. Values as `statement` gives them.
 * @throws Fault `database_unavailable`
 */
export async function readRows<Row>(db: Database, sql: Prisma.Sql): Promise<Row[]> {
  const { rows } = await reaching(() => poolOf(db).query(statement(sql)));
  return rows as Row[];
}
