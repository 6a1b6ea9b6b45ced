/** Bytes that a value takes besides its text: about what V8 needs for a field and its slot. */
const perValueBytes = 24;

/**
 * Estimates the bytes of a decoded JSON value. It is exact enough for a limit, and much cheaper
 * than parsing. It does not recurse, because an endpoint may nest values without end.
 */
export function weighAnswer(value: unknown): number {
  let bytes = 0;
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    bytes += perValueBytes;
    if (typeof next === "string") bytes += next.length;
    else if (typeof next === "object" && next !== null)
      for (const inner of Object.values(next)) waiting.push(inner);
  }
  return bytes;
}
