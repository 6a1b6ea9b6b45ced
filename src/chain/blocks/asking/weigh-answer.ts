/**
 * Memory that a value takes beside its text: about as much as V8 needs for a field and its slot.
 */
const perValueBytes = 24;

/**
 * Roughly how many bytes a decoded JSON value takes: exact enough for a bound, at a fraction of the
 * cost of parsing it.
 */
export function weighAnswer(value: unknown): number {
  if (typeof value === "string") return perValueBytes + value.length;
  if (typeof value !== "object" || value === null) return perValueBytes;
  let bytes = perValueBytes;
  for (const inner of Object.values(value)) bytes += weighAnswer(inner);
  return bytes;
}
