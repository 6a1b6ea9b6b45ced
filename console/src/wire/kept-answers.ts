import { tokenOfSession } from "./session.ts";

/** The most answers that are kept: those that were read or used last. */
const most = 60;

const header = "x-console-kept";

/** The headers of a request that only a kept answer may answer. They are never sent. */
export const keptHeaders = { [header]: "read" };

/** The headers of a request whose answer is kept. They are never sent. */
export const keepHeaders = { [header]: "write" };

/** True of a request with one of these headers: a component asks what it shows (see useAnswer). */
export const isQuestion = ({ headers }: Request): boolean => headers.has(header);

/** Bodies of answers by their URLs, of the session whose token is `owner`. */
const kept = new Map<string, string>();
let owner = "";

/**
 * As `fetch`, and keeps the JSON of a GET with `keepHeaders`. A page that is opened again shows
 * what it had, while it reads anew. With `keptHeaders` nothing is asked. All other answers, such as
 * those of an export, are not kept: they would push out those of pages.
 * @throws Error with `keptHeaders`, where nothing is kept
 */
export async function fetchKeeping(input: Request | string, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const wish = request.headers.get(header);
  request.headers.delete(header);
  const token = tokenOfSession();
  if (token !== owner) {
    kept.clear();
    owner = token;
  }
  if (wish === keptHeaders[header]) return answerFor(request);
  if (wish !== keepHeaders[header] || request.method !== "GET") return fetch(request);
  const asked = JSON.stringify([token, request.url, ...request.headers]);
  let response = ofThisMoment.get(asked);
  if (response === undefined) {
    response = fetchToKeep(request, token);
    ofThisMoment.set(asked, response);
    setTimeout(() => ofThisMoment.delete(asked));
  }
  return (await response).clone();
}

/**
 * The requests of this moment, in which nothing is heard of a change. So what two parts of a page
 * ask at once is one request.
 */
const ofThisMoment = new Map<string, Promise<Response>>();

async function fetchToKeep(request: Request, token: string): Promise<Response> {
  const response = await fetch(request);
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  if (response.ok && isJson) {
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
