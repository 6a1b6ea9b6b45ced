import createClient from "openapi-fetch";
import type { components, paths } from "./generated/api-paths.ts";
import { fetchKeeping, isQuestion } from "./kept-answers.ts";
import { refused, tokenOfSession } from "./session.ts";

/** A part of the API's description, by its name there. */
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

/** The API's own routes, as the session of the console sees them. */
export const api = createClient<paths>({ baseUrl: "/console/api", fetch: fetchKeeping });

api.use({
  onRequest({ request }) {
    if (request.method === "GET") return;
    request.headers.set("x-console-token", tokenOfSession());
    // The server keeps an answer for its key for a day. A question changes nothing, and needs none.
    if (request.method === "POST" && !isQuestion(request))
      request.headers.set("idempotency-key", crypto.randomUUID());
  },
});

/**
 * The body of a successful answer.
 * @throws WireFault for every other answer
 */
export async function answered<T>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<T> {
  const { data, error, response } = await call;
  if (data === undefined) throw refused(response, error);
  return data;
}
