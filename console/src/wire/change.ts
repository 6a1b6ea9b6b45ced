import { refused, tokenOfSession } from "./session.ts";

/**
 * Changes something by a route that the description of the API does not have yet. Throws a `WireFault` where it is refused.
 * An answer without a body is null.
 */
export async function change<T>(
  method: "POST" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
): Promise<T | null> {
  const response = await fetch(path, {
    method,
    headers: {
      "x-console-token": tokenOfSession(),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw refused(response.status, await response.json().catch(() => null));
  if (response.status === 204) return null;
  const answer: T = await response.json();
  return answer;
}
