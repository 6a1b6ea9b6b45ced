import { refused } from "./session.ts";
import type { Asking } from "./use-answer.ts";

/**
 * What a route answers that this server may not have: null where it has not. For parts of a page that stay away then.
 * Throws a `WireFault` for every other refusal.
 */
export async function readOptional<T>(
  path: string,
  query: Readonly<Record<string, string>> = {},
  as: Asking = { headers: {} },
): Promise<T | null> {
  const search = new URLSearchParams(query).toString();
  const response = await fetch(`/console/api${path}${search === "" ? "" : `?${search}`}`, as);
  if (response.status === 404) return null;
  if (!response.ok) throw refused(response.status, await response.json().catch(() => null));
  const body: T = await response.json();
  return body;
}
