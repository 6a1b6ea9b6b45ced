import { z } from "zod";
import type { Web } from "../web.ts";

type Health = { ready: boolean; services: { name: string; trouble: string | null }[] };

export type HealthDeps = { health: () => Health | Promise<Health> };

const schema = { querystring: z.strictObject({}) };

/** Open to everybody: they tell an orchestrator and a load balancer what to do with this process. */
export function healthRoutes(web: Web, deps: HealthDeps): void {
  // It answers: that is all that "live" says. Restarting does not mend a database that is out of reach.
  web.get("/health/live", { schema }, async () => ({ success: true, status: "live" }));

  web.get("/health/ready", { schema }, async (_request, reply) => {
    const { ready, services } = await deps.health();
    return reply.code(ready ? 200 : 503).send({ success: ready, ready, services });
  });

  web.get("/health", { schema }, async () => {
    const { ready, services } = await deps.health();
    return { success: true, status: ready ? "ready" : "degraded", ready, services };
  });
}
