import pg from "pg";
import { Prisma } from "../generated/client.ts";

const preparedMark = "/* prepared */";

/**
 * Begins a statement that each connection parses once, and plans for every value, until the next
 * ANALYZE of its tables. Use it where no other plan could be right, however much is stored. Or use
 * it where a reader alone would wait for it. Use it only for texts of a bounded number. Every other
 * statement is planned each time. A plan made while few deliveries waited took ten seconds once
 * twenty thousand did, and all deliveries wait for that statement.
 */
export const prepared = Prisma.raw(preparedMark);

/**
 * A statement as the driver takes it, with values as `$queryRaw` gives them: int8 as bigint,
 * timestamptz as Date, everything else as the driver has it. Cast numeric to text.
 */
export function statement({ text, values }: Prisma.Sql): pg.QueryConfig<unknown[]> {
  const name = text.trimStart().startsWith(preparedMark) ? nameOf(text) : undefined;
  return { text, values, types, ...(name === undefined ? {} : { name }) };
}

/**
 * Statements that each connection keeps, at most: each is some ten kilobytes of PostgreSQL's
 * memory. Most are the ways in which the API is asked.
 */
const maxNames = 128;

/**
 * The names by which connections know their prepared statements: the same text has one name in all
 * of them.
 */
const names = new Map<string, string>();

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= maxNames) return known;
  const name = `chainbell_${names.size}`;
  names.set(text, name);
  return name;
}

const { builtins } = pg.types;

const types = {
  getTypeParser(id: number, format?: "text" | "binary") {
    if (id === builtins.INT8) return BigInt;
    if (id === builtins.TIMESTAMPTZ) return toDate;
    return pg.types.getTypeParser(id, format ?? "text");
  },
} as pg.CustomTypesConfig;

/** The session's time zone is UTC: `2026-01-31 12:00:00.5+00`. */
function toDate(text: string): Date {
  return new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`);
}
