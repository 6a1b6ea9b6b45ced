import pg from "pg";
import { Prisma } from "../generated/client.ts";

const preparedMark = "/* prepared */";
const byIndexMark = "/* prepared by index */";

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
 * Marks a statement as prepared in `inTransactionByIndex`, and nowhere else. Use it only if
 * PostgreSQL looks each row up by an index there, whatever is stored. A plan that may read whole
 * tables reads them while they are small. It would be kept while they grow.
 */
export const preparedByIndex = Prisma.raw(byIndexMark);

/**
 * Makes a query for the driver. Its values are typed as by `$queryRaw`: int8 is a bigint,
 * timestamptz a Date, others are as the driver gives them. Cast numeric to text.
 * @param isByIndex true in a transaction that uses indexes only
 */
export function statement(
  { text, values }: Prisma.Sql,
  isByIndex = false,
): pg.QueryConfig<unknown[]> {
  const begun = text.trimStart();
  const isPrepared = begun.startsWith(preparedMark) || (isByIndex && begun.startsWith(byIndexMark));
  return { text, values, types, ...(isPrepared ? namedOf(text) : {}) };
}

/**
 * Each connection keeps at most this many prepared statements. Each takes some ten kilobytes of
 * PostgreSQL's memory. Most are the forms of requests to the API.
 */
const maxNames = 128;

/** A prepared statement's name, which is the same on all connections, and its text. */
type Named = { name: string; text: string };

const named = new Map<string, Named>();

/** Answers undefined once the connections have as many as they keep. */
function namedOf(text: string): Named | undefined {
  const known = named.get(text);
  if (known !== undefined || named.size >= maxNames) return known;
  const isByIndex = text.trimStart().startsWith(byIndexMark);
  const made = { name: `chainbell_${named.size}`, text: isByIndex ? withoutSizes(text) : text };
  named.set(text, made);
  return made;
}

/**
 * Hides the lengths of arrays from the planner, in subqueries. PostgreSQL keeps one plan only if it
 * seems no dearer than plans for the values. With a known short array such a plan seems cheaper.
 */
function withoutSizes(text: string): string {
  return text.replace(/(\$\d+)::(\w+)\[\]/g, "(SELECT $1::$2[])::$2[]");
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
