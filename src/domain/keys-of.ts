/**
 * The names in a table, in its order, typed as the union of its keys. TypeScript itself gives
 * `string[]`, because an object may have more keys than its type says. Use it for tables that are
 * written out in one place and never changed.
 */
export function keysOf<Name extends string>(table: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(table) as Name[];
}

/** The meaning of each name in a table, as one text for a schema's description. */
export function meaningsIn<Name extends string>(
  table: Readonly<Record<Name, { description: string }>>,
): string {
  return keysOf(table)
    .map((name) => `${name}: ${table[name].description}.`)
    .join(" ");
}

/**
 * The same for a table whose values are the meanings themselves, with the names as code. The text
 * does not end with a full stop.
 */
export function meaningsOf<Name extends string>(table: Readonly<Record<Name, string>>): string {
  return keysOf(table)
    .map((name) => `\`${name}\`: ${table[name]}`)
    .join(". ");
}
