import { RefusedWebhook } from "./refusal.ts";

/** The headers of a request: an object as Node gives it, or a Headers object. */
export type HeadersIn =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

/**
 * The value of a header, whatever the case of its name in `headers`. Null if it is missing or
 * empty.
 * @param name in lower case
 */
export function headerIn(headers: HeadersIn, name: string): string | null {
  const value = isHeaders(headers) ? headers.get(name) : findIn(headers, name);
  return value === null || value === "" ? null : value;
}

/** @throws RefusedWebhook `missing_header` */
export function requireHeader(headers: HeadersIn, name: string): string {
  const value = headerIn(headers, name);
  if (value !== null) return value;
  throw new RefusedWebhook("missing_header", `The header ${name} is missing.`);
}

function isHeaders(headers: HeadersIn): headers is { get(name: string): string | null } {
  return typeof headers["get"] === "function";
}

function findIn(
  headers: { readonly [name: string]: string | readonly string[] | undefined },
  name: string,
): string | null {
  for (const [key, value] of Object.entries(headers)) {
    if (key.toLowerCase() !== name) continue;
    const one = typeof value === "string" ? value : value?.[0];
    return one ?? null;
  }
  return null;
}
