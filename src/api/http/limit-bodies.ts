import { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import type { Web } from "./web.ts";

/** The time in ms in which a request, and the body of a large one, must have arrived whole. */
const usualMs = 30_000;
export const longestMs = 600_000;

/** The routes whose bodies may be large, and are read as they come; the console has them too. */
const largeBodies: ReadonlySet<string> = new Set([
  "/reconciliations",
  "/console/api/reconciliations",
]);

/**
 * Gives up a request whose body has not arrived in time, in the way in which Node itself gives up
 * one that is beyond the longest time of all. Node has one time for all routes.
 */
export function limitBodies(web: Web, limitMs: number = usualMs): void {
  web.addHook("onRequest", (request, _reply, done) => {
    const isLarge = largeBodies.has(request.routeOptions.url ?? "");
    if (hasBody(request) && !isLarge) giveUpLate(web, request, limitMs);
    done();
  });
}

/** A request that was injected, as tests do, came over no connection. */
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
