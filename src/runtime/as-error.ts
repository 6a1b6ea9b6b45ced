/** The thrown value as an Error, because JavaScript can throw any value. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
