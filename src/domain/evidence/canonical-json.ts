/**
 * The one text of a JSON document, whoever writes it (RFC 8785). Names are in the order of their
 * UTF-16 units, without space. Numbers and texts are as ECMAScript writes them, which the RFC asks
 * for.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const names = Object.keys(value).toSorted();
  // A statement has millions of flat lines. A list of names is also the order of the members.
  if (names.every((name) => !isObject(value[name]))) return JSON.stringify(value, names);
  const texts = names.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`);
  return `{${texts.join(",")}}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
