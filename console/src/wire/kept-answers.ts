import { tokenOfSession } from "./session.ts";

/** The most answers that are kept: those that were read or used last. */
const most = 60;

const header = "x-console-kept";

/** The headers of a request that only a kept answer may answer. It is never sent. */
export const keptHeaders = { [header]: "1" };

/** Bodies of answers by their URLs, of the session whose token is `owner`. */
const kept = new Map<string, string>();
let owner = "";

/**
 * As `fetch`, and keeps each page of JSON that a GET has read. A page that is opened again shows
 * what it had, while it reads anew. With `keptHeaders` nothing is asked.
 * @throws Error with `keptHeaders`, where nothing is kept
 */
export async function fetchKeeping(input: Request | string, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const token = tokenOfSession();
  if (token !== owner) {
    kept.clear();
    owner = token;
  }
  if (request.headers.has(header)) return answerFor(request);
  const response = await fetch(request);
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  if (request.method === "GET" && response.ok && isJson) {
    const body = await response.clone().text();
    if (token === owner) keep(request.url, body);
  }
  return response;
}

function answerFor({ method, url }: Request): Response {
  const body = kept.get(url);
  if (method !== "GET" || body === undefined) throw new Error(`nothing is kept of ${url}`);
  keep(url, body);
  return new Response(body, { headers: { "content-type": "application/json" } });
}

function keep(url: string, body: string): void {
  // A map is in the order of its entries: the last one was used last.
  kept.delete(url);
  kept.set(url, body);
  const [first] = kept.keys();
  if (kept.size > most && first !== undefined) kept.delete(first);
}
