import pg from "pg";

/**
 * OID of the one-byte type "char", for which Prisma's driver adapter has no mapping; and of text.
 */
const [charType, textType] = [18, 25];

/**
 * A pool for Prisma's schema engine. The engine asks for constraints of the type "char", and since
 * PostgreSQL 18 that list also has every NOT NULL. It is given text, and no NOT NULL, CHECK or
 * trigger. Whoever opens it ends it.
 */
export function openCatalogueReader(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 1 });
  const query = pool.query.bind(pool);
  const read = async (statement: string | pg.QueryConfig, values?: unknown[]) => {
    if (typeof statement === "string") return query(statement, values);
    const text = statement.text.replace(
      /contype NOT IN \([^)]*\)/,
      "contype NOT IN ('p', 'u', 'f', 'n', 'c', 't')",
    );
    const result = await query({ ...statement, text }, values);
    for (const field of result.fields)
      if (field.dataTypeID === charType) field.dataTypeID = textType;
    return result;
  };
  return Object.assign(pool, { query: read });
}
