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

const bareHealth = whole.omit({ services: true });
const bareReadiness = z
  .object({ success: z.boolean(), ready: z.boolean() })
  .meta({ id: "BareReadiness" });

const querystring = noQuery;
const tags = ["Operation"];

function readinessSchema<Answer extends z.ZodType>(summary: string, answer: Answer) {
  return { tags, summary, querystring, response: { 200: answer, 503: answer } };
}

function alwaysSchema<Answer extends z.ZodType>(answer: Answer) {
  return { tags, summary: "The same, always 200", querystring, response: { 200: answer } };
}

/**
 * Adds the health routes, which need no credential. They tell an orchestrator or a load balancer
 * what to do with this process.
 */
export function healthRoutes(web: Web, deps: HealthDeps): void {
  livenessRoute(web);

  const readiness = readinessSchema("Whether every part makes progress, and which does not", ready);
  web.get("/health/ready", { schema: readiness }, async (_request, reply) => {
    const { ready, services } = await deps.health();
    return reply.code(ready ? 200 : 503).send({ success: ready, ready, services });
  });

  web.get("/health", { schema: alwaysSchema(whole) }, async () => {
    const { ready, services } = await deps.health();
    return {
      success: true as const,
      status: statusOf(ready),
      ready,
      services,
    };
  });
}

/**
 * Adds the health routes for a public listener, if operators have their own. They say only whether
 * all is well, without details.
 */
export function readinessRoutes(web: Web, deps: HealthDeps): void {
  livenessRoute(web);
  const readiness = readinessSchema("Whether every part makes progress", bareReadiness);
  web.get("/health/ready", { schema: readiness }, async (_request, reply) => {
    const { ready } = await deps.health();
    return reply.code(ready ? 200 : 503).send({ success: ready, ready });
  });
  web.get("/health", { schema: alwaysSchema(bareHealth) }, async () => {
    const { ready } = await deps.health();
    return { success: true as const, status: statusOf(ready), ready };
  });
}

function livenessRoute(web: Web): void {
  const liveness = {
    tags,
    summary: "Whether the process answers",
    querystring,
    response: { 200: live },
  };
  // "live" says only that the process answers. A restart does not help if the database is out of
  // reach.
  web.get("/health/live", { schema: liveness }, async () => ({
    success: true as const,
    status: "live" as const,
  }));
}

function statusOf(ready: boolean): "ready" | "degraded" {
  return ready ? "ready" : "degraded";
}
