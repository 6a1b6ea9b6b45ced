import pg from "pg";
import { Prisma } from "../generated/client.ts";

const preparedMark = "/* prepared */";

/**
 * Marks a statement as prepared. Each connection parses and plans it once for all values, until the
 * next ANALYZE of its tables. Use it only if no other plan can be better, or if only one reader
 * waits for a bad plan. The number of such texts must be bounded.
 *
 * Every other statement is planned each time. A prepared plan from a time with few waiting
 * deliveries took 10 s with 20,000 of them. All deliveries wait for that statement.
 */
export const prepared = Prisma.raw(preparedMark);

/**
 * Makes a query for the driver. Its values are typed as by `$queryRaw`: int8 is a bigint,
 * timestamptz a Date, others are as the driver gives them. Cast numeric to text.
 */
export function statement({ text, values }: Prisma.Sql): pg.QueryConfig<unknown[]> {
  const name = text.trimStart().startsWith(preparedMark) ? nameOf(text) : undefined;
  return { text, values, types, ...(name === undefined ? {} : { name }) };
}

/**
 * Each connection keeps at most this many prepared statements. Each takes some ten kilobytes of
 * PostgreSQL's memory. Most are the forms of requests to the API.
 */
const maxNames = 128;

/** The names of prepared statements. A text has the same name on all connections. */
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

/** Parses a time such as `2026-01-31 12:00:00.5+00`. The session's time zone is UTC. */
function toDate(text: string): Date {
  return new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`);
}
