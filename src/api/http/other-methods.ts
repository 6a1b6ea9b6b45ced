import type { FastifyReply, HTTPMethods } from "fastify";
import findMyWay from "find-my-way";
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

declare module "fastify" {
  interface FastifyRequest {
    /** The registered path of a request whose method it does not have. Null: it has the method. */
    pathWithoutMethod: string | null;
  }
}

type Path = { url: string; methods: Set<string> };

/** Answers a request whose path lacks the method. */
type RefuseMethod = (reply: FastifyReply) => void;

/**
 * Refuses a request whose path has only other methods, before its credential and body are read. The
 * header `allow` lists the methods of the path. Call it before the first route is registered, and
 * after the other hooks that every request passes.
 */
export function refuseOtherMethods(web: Web, refuse: RefuseMethod): void {
  // Fastify's own router has a tree for each method. For a path of another method, it finds nothing
  // or a more general path. A route for each other method of each path took a third of a server's
  // start.
  const paths = findMyWay();
  const byUrl = new Map<string, Path>();
  web.decorateRequest("pathWithoutMethod", null);
  web.addHook("onRoute", ({ url, method }) => {
    const path = byUrl.get(url) ?? { url, methods: new Set() };
    if (!byUrl.has(url)) paths.on("GET", url, () => undefined, path);
    byUrl.set(url, path);
    for (const name of Array.isArray(method) ? method : [method]) path.methods.add(name);
  });
  web.addHook("onRequest", (request, reply, done) => {
    const path: Path | null | undefined = paths.find("GET", request.url)?.store;
    if (path === undefined || path === null || path.methods.has(request.method)) return done();
    request.pathWithoutMethod = path.url;
    refuse(reply.header("allow", [...path.methods].join(", ")));
  });
}
