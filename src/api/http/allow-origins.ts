import type { Web } from "./web.ts";

/**
 * The methods and headers that a page of another origin may send. An access token is allowed. An
 * API key is not: it does not belong in a browser.
 */
const taken = {
  "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
  "access-control-allow-headers": "authorization, content-type, idempotency-key, last-event-id",
  "access-control-max-age": "600",
};

const shown =
  "x-request-id, chainbell-version, chainbell-read-from, chainbell-staleness-ms, chainbell-cursor, chainbell-entries, retry-after, idempotency-replayed";

/**
 * Lets pages of these origins read the answers to their requests
 * (https://fetch.spec.whatwg.org/#http-cors-protocol), except under /admin and /console. No route
 * read in this way uses cookies, so browsers are not told to send any.
 */
export function allowOrigins(web: Web, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const allowed = new Set(origins);
  web.addHook("onRequest", (request, reply, done) => {
    if (/^\/(?:admin|console)(?:[/?]|$)/.test(request.url)) return done();
    reply.header("vary", "origin");
    const { origin } = request.headers;
    if (origin === undefined || !allowed.has(origin)) return done();
    reply.header("access-control-allow-origin", origin);
    reply.header("access-control-expose-headers", shown);
    const isPreflight = request.headers["access-control-request-method"] !== undefined;
    if (request.method !== "OPTIONS" || !isPreflight) return done();
    reply.headers(taken).code(204).send();
  });
}
