/**
 * The canonical text of a JSON value (RFC 8785). Names are sorted by UTF-16 units, without spaces.
 * Numbers and texts are written as ECMAScript does, which the RFC requires.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const names = Object.keys(value);
  const isFlat = names.every((name) => !isObject(value[name]));
  // A shortcut: a statement has millions of flat lines with sorted names.
  if (isFlat && areInOrder(names)) return JSON.stringify(value);
  names.sort();
  // With a list of names, JSON.stringify writes the members in that order.
  if (isFlat) return JSON.stringify(value, names);
  const texts = names.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`);
  return `{${texts.join(",")}}`;
}

function areInOrder(names: readonly string[]): boolean {
  return names.every((name, place) => place === 0 || (names[place - 1] ?? "") < name);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
