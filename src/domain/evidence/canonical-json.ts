/**
 * The one text of a JSON document, whoever writes it (RFC 8785). Names are in the order of their
 * UTF-16 units, without space. Numbers and texts are as ECMAScript writes them, which the RFC asks
 * for.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const texts = members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${texts.join(",")}}`;
}
