import type { Clock } from "../../runtime/clock.ts";
import type { Endpoint } from "./endpoint.ts";
import type { EndpointPool } from "./endpoint-pool.ts";

/** Often enough to leave an endpoint that stands still soon, and one small request each for the others. */
const surveyEveryMs = 2_000;

/** Looks after the endpoints that do not lead, at most every two seconds; what is wrong with one is in its record. */
export function createSurvey(
  pool: EndpointPool,
  clock: Clock,
  askHead: (endpoint: Endpoint) => Promise<void>,
): { look: () => void } {
  let lastMs = 0;
  return {
    look() {
      const now = clock.now();
      if (now - lastMs < surveyEveryMs) return;
      lastMs = now;
      const others = pool.others().filter((one) => one.record.benchedUntilMs() <= now);
      for (const endpoint of others) askHead(endpoint).catch(() => {});
    },
  };
}
