import pg from "pg";

/**
 * A statement as the driver takes it, with values as `$queryRaw` gives them: int8 as bigint, timestamptz as Date,
 * everything else as the driver has it. Cast numeric to text.
 * @param isKept parsed once for each connection, and planned each time (see openDatabase). For texts of a bounded number
 *   alone, since each is kept
 */
export function statement(
  text: string,
  values: readonly unknown[],
  isKept: boolean,
): pg.QueryConfig<unknown[]> {
  const name = isKept ? nameOf(text) : undefined;
  return { text, values: [...values], types, ...(name === undefined ? {} : { name }) };
}

/**
 * Statements that each connection keeps, at most: each is some ten kilobytes of PostgreSQL's memory. What
 * writes blocks and deliveries has about fifty, so that the ways in which the API is asked leave room for them.
 */
const maxNames = 128;

/** The names by which connections know their prepared statements: the same text has one name in all of them. */
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
