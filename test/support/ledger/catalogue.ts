import type pg from "pg";

type Column = { name: string; type: string; isRequired: boolean; hasDefault: boolean };

/**
 * What the statements of a release meet in a database: each table's columns, conditions and
 * indexes.
 */
type Table = {
  columns: Map<string, Column>;
  /** By name: CHECK and foreign keys, with the columns that they are about. */
  constraints: Map<string, { definition: string; columns: string[] }>;
  /** By name. */
  indexes: Map<string, { definition: string; isUnique: boolean; columns: string[] }>;
};

export type Catalogue = Map<string, Table>;

const columnsSql = `
  SELECT c.relname AS table, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
    a.attnotnull AS "isRequired", a.atthasdef OR a.attidentity <> '' AS "hasDefault"
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped`;

const columnNames = (numbers: string) => `
  (SELECT coalesce(array_agg(a.attname::text), '{}') FROM pg_attribute a
    WHERE a.attrelid = c.oid AND a.attnum = ANY (${numbers}))`;

const constraintsSql = `
  SELECT c.relname AS table, k.conname AS name, pg_get_constraintdef(k.oid) AS definition,
    ${columnNames("k.conkey")} AS columns
  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
  WHERE c.relnamespace = 'public'::regnamespace AND k.contype IN ('c', 'f')`;

const indexesSql = `
  SELECT c.relname AS table, i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition,
    i.indisunique AS "isUnique", ${columnNames("i.indkey::int2[]")} AS columns
  FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
  WHERE c.relnamespace = 'public'::regnamespace`;

/** The tables as this connection sees them, without Prisma's own. */
export async function readCatalogue(client: pg.Client): Promise<Catalogue> {
  const catalogue: Catalogue = new Map();
  const columns = await client.query<Column & { table: string }>(columnsSql);
  for (const { table, ...column } of columns.rows)
    tableIn(catalogue, table).columns.set(column.name, column);
  const constraints = await client.query(constraintsSql);
  for (const { table, name, ...constraint } of constraints.rows)
    tableIn(catalogue, table).constraints.set(name, constraint);
  const indexes = await client.query(indexesSql);
  for (const { table, name, ...index } of indexes.rows)
    tableIn(catalogue, table).indexes.set(name, index);
  catalogue.delete("_prisma_migrations");
  return catalogue;
}

function tableIn(catalogue: Catalogue, name: string): Table {
  const known = catalogue.get(name);
  if (known !== undefined) return known;
  const table: Table = { columns: new Map(), constraints: new Map(), indexes: new Map() };
  catalogue.set(name, table);
  return table;
}

/** Tables whose rows the migrations write, and no release. */
const writtenByMigrations = ["installation"];

/**
 * What the statements of an older release would meet in a newer database that they do not expect:
 * one line each. Added tables, columns that may be left out, conditions on added columns, wider
 * conditions and further indexes are no trouble.
 */
export function troubleFor(older: Catalogue, newer: Catalogue): string[] {
  return [...older].flatMap(([name, before]) => {
    const after = newer.get(name);
    if (after === undefined) return [`${name}: the table is gone`];
    return [
      ...columnTrouble(before, after, writtenByMigrations.includes(name)),
      ...constraintTrouble(before, after),
      ...indexTrouble(before, after),
    ].map((what) => `${name}: ${what}`);
  });
}

function columnTrouble(before: Table, after: Table, isNeverInserted: boolean): string[] {
  const changed = [...before.columns.values()].flatMap((old) => {
    const now = after.columns.get(old.name);
    if (now === undefined) return [`column ${old.name} is gone`];
    if (now.type !== old.type) return [`column ${old.name} was ${old.type} and is ${now.type}`];
    if (now.isRequired && !old.isRequired) return [`column ${old.name} may no longer be null`];
    return old.hasDefault && !now.hasDefault ? [`column ${old.name} has lost its default`] : [];
  });
  const added = [...after.columns.values()].filter(
    ({ name, isRequired, hasDefault }) =>
      !before.columns.has(name) && isRequired && !hasDefault && !isNeverInserted,
  );
  return [...changed, ...added.map(({ name }) => `added column ${name} must be given a value`)];
}

function constraintTrouble(before: Table, after: Table): string[] {
  return [...after.constraints].flatMap(([name, { definition, columns }]) => {
    const old = before.constraints.get(name);
    if (old === undefined)
      return columns.some((column) => before.columns.has(column))
        ? [`there is a new condition ${name}: ${definition}`]
        : [];
    const missing = wordsOf(old.definition).filter((word) => !wordsOf(definition).includes(word));
    return missing.map((word) => `condition ${name} allowed ${word}`);
  });
}

/** The values that a condition names. */
const wordsOf = (definition: string): string[] => definition.match(/'[^']*'/g) ?? [];

function indexTrouble(before: Table, after: Table): string[] {
  const gone = [...before.indexes.keys()].filter((name) => !after.indexes.has(name));
  const stricter = [...after.indexes].filter(
    ([name, { isUnique, columns }]) =>
      isUnique &&
      !before.indexes.has(name) &&
      columns.every((column) => before.columns.has(column)),
  );
  return [
    ...gone.map((name) => `index ${name} is gone`),
    ...stricter.map(([name]) => `index ${name} refuses rows that were allowed`),
  ];
}
