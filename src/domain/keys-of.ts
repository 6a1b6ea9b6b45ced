/**
 * The names in a table, in its order, as the union that its type is: TypeScript gives `string[]`, because an object may
 * have more keys than its type says. For tables that are written out in one place and never changed.
 */
export function keysOf<Name extends string>(table: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(table) as Name[];
}

/** What each name in a table means, as one text for a schema's description. */
export function meaningsIn<Name extends string>(
  table: Readonly<Record<Name, { description: string }>>,
): string {
  return keysOf(table)
    .map((name) => `${name}: ${table[name].description}.`)
    .join(" ");
}

/** The same of a table whose values are the meanings themselves, the names as code. No full stop at its end. */
export function meaningsOf<Name extends string>(table: Readonly<Record<Name, string>>): string {
  return keysOf(table)
    .map((name) => `\`${name}\`: ${table[name]}`)
    .join(". ");
}
