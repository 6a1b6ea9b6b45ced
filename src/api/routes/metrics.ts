import { noQuery } from "../../schema/fields.ts";
import type { Web } from "../http/web.ts";

/** An answered request. `route` is its pattern; null: no route matched. */
type RequestAnswered = {
  method: string;
  route: string | null;
  status: number;
  latencyMs: number;
};

export type MetricsDeps = {
  metrics: {
    requestAnswered: (request: RequestAnswered) => void;
    /** All metrics, in the text format of Prometheus. */
    text: () => Promise<string>;
    contentType: string;
  };
};

export function metricsRoutes(web: Web, { metrics }: MetricsDeps): void {
  const schema = { hide: true, querystring: noQuery };
  web.get("/metrics", { schema }, async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  );
}
