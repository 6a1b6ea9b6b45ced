/** Bytes that a value takes besides its text: about what V8 needs for a field and its slot. */
const perValueBytes = 24;

/**
 * Estimates the bytes of a decoded JSON value. It is exact enough for a limit, and much cheaper
 * than parsing.
 */
export function weighAnswer(value: unknown): number {
  if (typeof value === "string") return perValueBytes + value.length;
  if (typeof value !== "object" || value === null) return perValueBytes;
  let bytes = perValueBytes;
  for (const inner of Object.values(value)) bytes += weighAnswer(inner);
  return bytes;
}
