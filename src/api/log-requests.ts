import type { Logger } from "../runtime/logger.ts";
import type { Web } from "./http/web.ts";
import type { MetricsDeps } from "./routes/metrics.ts";

/** Statuses for callers without a credential, and for methods that no path has. */
const refusedUnseen = new Set([400, 401, 404, 405, 429]);

/** Writes one line, and counts once, for each request that was answered. */
export function logRequests(web: Web, { log, metrics }: MetricsDeps & { log: Logger }): void {
  web.addHook("onResponse", (request, reply, done) => {
    // A request that waits on purpose is not slow.
    const latencyMs = request.heldAfterMs ?? reply.elapsedTime;
    const answered = {
      method: request.method,
      route: request.routeOptions.url ?? null,
      status: reply.statusCode,
      latencyMs: Math.round(latencyMs),
    };
    // Otherwise anybody could make a series of each route with each method.
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
