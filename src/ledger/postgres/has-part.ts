import { Prisma } from "../generated/client.ts";

/** Condition: the column contains the text, in any case. `text` must be in lower case. */
export function hasPart(column: string, text: string): Prisma.Sql {
  return Prisma.sql`strpos(lower(${Prisma.raw(column)}), ${text}) > 0`;
}
