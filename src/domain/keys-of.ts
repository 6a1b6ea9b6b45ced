/**
 * The names in a table, in its order, typed as the union of its keys. TypeScript itself gives
 * `string[]`, because an object may have more keys than its type. Use it only for constant tables
 * written in one place.
 */
export function keysOf<Name extends string>(table: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(table) as Name[];
}

/** The meanings of a table's names, as one text for a schema's description. */
export function meaningsIn<Name extends string>(
  table: Readonly<Record<Name, { description: string }>>,
): string {
  return keysOf(table)
    .map((name) => `${name}: ${table[name].description}.`)
    .join(" ");
}

/**
 * The same for a table whose values are the meanings, with the names as code. The text does not end
 * with a full stop.
 */
export function meaningsOf<Name extends string>(table: Readonly<Record<Name, string>>): string {
  return keysOf(table)
    .map((name) => `\`${name}\`: ${table[name]}`)
    .join(". ");
}
