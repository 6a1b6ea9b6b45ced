import { z } from "zod";
import { noQuery } from "../../schema/fields.ts";
import type { Web } from "../http/web.ts";

type Health = { ready: boolean; services: { name: string; trouble: string | null }[] };

export type HealthDeps = { health: () => Health | Promise<Health> };

const services = z.array(z.object({ name: z.string(), trouble: z.string().nullable() }));
const live = z.object({ success: z.literal(true), status: z.literal("live") });
const ready = z
  .object({ success: z.boolean(), ready: z.boolean(), services })
  .meta({ id: "Readiness" });
const whole = z.object({
  success: z.literal(true),
  status: z.enum(["ready", "degraded"]),
  ready: z.boolean(),
  services,
});

const querystring = noQuery;
const tags = ["Operation"];

/** Open to everybody: from them an orchestrator and a load balancer know what to do with this process. */
export function healthRoutes(web: Web, deps: HealthDeps): void {
  const liveness = {
    tags,
    summary: "Whether the process answers",
    querystring,
    response: { 200: live },
  };
  // It answers: that is all that "live" says. Restarting does not mend a database that is out of reach.
  web.get("/health/live", { schema: liveness }, async () => ({
    success: true as const,
    status: "live" as const,
  }));

  const readiness = {
    tags,
    summary: "Whether every part makes progress, and which does not",
    querystring,
    response: { 200: ready, 503: ready },
  };
  web.get("/health/ready", { schema: readiness }, async (_request, reply) => {
    const { ready, services } = await deps.health();
    return reply.code(ready ? 200 : 503).send({ success: ready, ready, services });
  });

  const both = {
    tags,
    summary: "The same, always 200",
    querystring,
    response: { 200: whole },
  };
  web.get("/health", { schema: both }, async () => {
    const { ready, services } = await deps.health();
    return {
      success: true as const,
      status: ready ? ("ready" as const) : ("degraded" as const),
      ready,
      services,
    };
  });
}
