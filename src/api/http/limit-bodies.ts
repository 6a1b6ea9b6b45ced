import { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import type { Web } from "./web.ts";

/**
 * The time that a request may take to arrive whole, in ms: `longestMs` if its body may be large.
 */
const usualMs = 30_000;
export const longestMs = 600_000;

/** The routes whose bodies may be large, and are read as they arrive. Also those of the console. */
const largeBodies: ReadonlySet<string> = new Set([
  "/reconciliations",
  "/console/api/reconciliations",
]);

/**
 * Ends a request whose body has not arrived in time, as Node itself would. Node has only one limit
 * for all routes, so that one is `longestMs`.
 */
export function limitBodies(web: Web, limitMs: number = usualMs): void {
  web.addHook("onRequest", (request, _reply, done) => {
    const isLarge = largeBodies.has(request.routeOptions.url ?? "");
    if (hasBody(request) && !isLarge) giveUpLate(web, request, limitMs);
    done();
  });
}

/** False for requests that tests inject: they have no connection. */
function hasBody({ raw, headers }: FastifyRequest): boolean {
  return (
    raw instanceof IncomingMessage &&
    !raw.complete &&
    (headers["transfer-encoding"] ?? headers["content-length"] ?? "0") !== "0"
  );
}

function giveUpLate(web: Web, { raw }: FastifyRequest, limitMs: number): void {
  const error = Object.assign(new Error("Request timeout"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
  const timer = setTimeout(() => web.server.emit("clientError", error, raw.socket), limitMs);
  timer.unref();
  raw.once("end", () => clearTimeout(timer));
  raw.once("close", () => clearTimeout(timer));
}
