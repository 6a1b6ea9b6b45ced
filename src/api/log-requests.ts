import type { Logger } from "../runtime/logger.ts";
import type { Web } from "./http/web.ts";
import type { MetricsDeps } from "./routes/metrics.ts";

/** Statuses that callers without a credential get, and callers of methods that a path lacks. */
const refusedUnseen = new Set([400, 401, 404, 405, 429]);

/** Logs one line, and counts once, for each answered request. */
export function logRequests(web: Web, { log, metrics }: MetricsDeps & { log: Logger }): void {
  web.addHook("onResponse", (request, reply, done) => {
    // Leaves out the time for which a request waits on purpose.
    const latencyMs = request.heldAfterMs ?? reply.elapsedTime;
    const answered = {
      method: request.method,
      route: request.pathWithoutMethod ?? request.routeOptions.url ?? null,
      status: reply.statusCode,
      latencyMs: Math.round(latencyMs),
    };
    // Otherwise anybody could create a series for each route with each method.
    const isKnown = request.businessId !== null || request.administrator !== null;
    const route = isKnown || !refusedUnseen.has(reply.statusCode) ? answered.route : null;
    metrics.requestAnswered({ ...answered, route, latencyMs });
    const { businessId, ip: address, id: requestId } = request;
    const heldMs = Math.round(reply.elapsedTime - latencyMs);
    const held = heldMs > 0 ? { heldMs } : {};
    const fields = { ...answered, ...held, businessId, address, requestId };
    const isProbe = request.url.startsWith("/health") || request.url === "/metrics";
    if (isProbe) log.debug(fields, "request.answered");
    else log.info(fields, "request.answered");
    done();
  });
}
