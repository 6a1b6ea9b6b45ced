import { RefusedWebhook } from "./refusal.ts";

/** A request's headers: as Node gives them, or a Headers object. */
export type HeadersIn =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

/** One header by its name in lower case, whatever its case in `headers`; null where it is missing or empty. */
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
