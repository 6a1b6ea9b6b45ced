import type { EndpointRate } from "../domain/setup/endpoint-check.ts";
import type { Clock } from "../runtime/clock.ts";

/**
 * Requests at once: as many as the watcher starts with (createPacer), and too few to cost anything.
 */
const atOnce = 16;
const requests = 2 * atOnce;

/**
 * Measures how many of the cheapest requests an endpoint answers in a second. It sends 32, 16 at a
 * time, and stops at the first refusal. A larger quota, such as one for a day, does not show.
 * @param ask sends one request; null: it was answered, otherwise why not
 */
export async function measureRate(
  ask: () => Promise<{ reason: string } | null>,
  clock: Clock,
): Promise<EndpointRate> {
  const sinceMs = clock.elapsed();
  let sent = 0;
  let answered = 0;
  const refusals: string[] = [];
  const inTurn = async () => {
    while (sent < requests && refusals.length === 0) {
      sent += 1;
      const failure = await ask();
      if (failure === null) answered += 1;
      else refusals.push(failure.reason);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, inTurn));
  const [reason] = refusals;
  if (reason !== undefined) return { kind: "refused", after: answered, reason };
  const tookMs = Math.max(1, clock.elapsed() - sinceMs);
  return { kind: "kept up", perSecond: Math.round((answered * 1_000) / tookMs) };
}
