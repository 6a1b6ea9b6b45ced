import { Prisma } from "../generated/client.ts";

/** A text of that column has this in it, in any case. The text that is sought is in lower case. */
export function hasPart(column: string, text: string): Prisma.Sql {
  return Prisma.sql`strpos(lower(${Prisma.raw(column)}), ${text}) > 0`;
}
