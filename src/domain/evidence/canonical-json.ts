/**
 * The one text of a JSON document, whoever writes it (RFC 8785). Names are in the order of their
 * UTF-16 units, without space. Numbers and texts are as ECMAScript writes them, which the RFC asks
 * for.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const names = Object.keys(value);
  const isFlat = names.every((name) => !isObject(value[name]));
  // A statement has millions of flat lines, whose names are in order already.
  if (isFlat && areInOrder(names)) return JSON.stringify(value);
  names.sort();
  // A list of names is also the order of the members.
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
