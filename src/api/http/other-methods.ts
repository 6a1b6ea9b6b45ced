import type { FastifyReply, HTTPMethods } from "fastify";
import type { Web } from "./web.ts";

/** Methods that some path has, and methods that clients and scanners try. */
export const methods = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
] as const satisfies HTTPMethods[];

/** Answers a request whose path has no such method. */
type RefuseMethod = (reply: FastifyReply) => void;

/**
 * Remembers the methods of every path that is registered after it. Call the answer to give each
 * path's other methods a 405 that names the methods of the path.
 */
export function rememberMethods(web: Web): (scope: Web, refuse: RefuseMethod) => void {
  const byPath = new Map<string, Set<HTTPMethods>>();
  web.addHook("onRoute", ({ url, method }) => {
    const known = byPath.get(url) ?? new Set();
    for (const name of Array.isArray(method) ? method : [method]) known.add(name);
    byPath.set(url, known);
  });
  return (scope, refuse) => {
    for (const [url, known] of [...byPath]) {
      const others = methods.filter((name) => !known.has(name));
      const allow = [...known].join(", ");
      scope.route({
        url,
        method: others,
        schema: { hide: true },
        // Refused before the body is read: its content does not matter.
        onRequest: (_request, reply, _done) => refuse(reply.header("allow", allow)),
        handler: () => undefined,
      });
    }
  };
}
